/**
 * The names of the built-in tools and of what they take. Written down, because completion must cost no more than
 * starting: to ask the tools themselves is to load them. A test holds this to them.
 */
export const builtinTools: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["read_file", ["path", "offset", "limit", "encoding"]],
  ["write_file", ["path", "content", "encoding"]],
  ["delete_file", ["path"]],
  ["list_files", ["path", "recursive"]],
  ["search_files", ["path", "pattern", "glob"]],
  ["web_fetch", ["url", "method", "headers", "body", "as"]],
  ["run_command", ["command", "args", "cwd", "env", "stdin", "timeoutMs"]],
  ["run_shell", ["script", "cwd", "timeoutMs"]],
  ["kv_get", ["key"]],
  ["kv_set", ["key", "value", "ttlSeconds"]],
  ["kv_delete", ["key"]],
  ["kv_list", ["prefix"]],
  ["list_attachments", []],
  ["read_attachment", ["ref", "encoding"]],
  ["search_records", ["query", "class", "limit"]],
  ["get_record", ["id"]],
  ["list_records", ["class", "tag"]],
  ["create_record", ["id", "class", "frontMatter", "body"]],
  ["update_record", ["id", "frontMatter", "body", "revision"]],
  ["delete_record", ["id"]],
  ["grant_capability", ["agent", "grants"]]
])
