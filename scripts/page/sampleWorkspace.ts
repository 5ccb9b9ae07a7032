/** A made-up workspace for pictures, tests and benches: who may do what, and what each of them does all day. */
export interface Habit {
  readonly tool: string
  readonly origin: string
  /** Requests as `Request.parse` reads them; one of each group is made in a call. */
  readonly asks: ReadonlyArray<ReadonlyArray<string>>
  /** How often, compared with the others. */
  readonly weight: number
}

export interface Sample {
  readonly id: string
  readonly habits: ReadonlyArray<Habit>
}

const record = (title: string, ...grants: ReadonlyArray<string>): string =>
  [
    "---",
    "class: agent",
    `title: ${title}`,
    "capabilities:",
    ...grants.map((grant) => `  - ${grant}`),
    "---",
    ""
  ].join("\n")

export const files: Readonly<Record<string, string>> = {
  "bailiwick.yaml": "sandbox: required\n",
  "records/agents/release-bot.md": record(
    "Publishes the site and its packages",
    "net.get{hosts=[api.github.com,registry.npmjs.org]}",
    "net.post{hosts=[api.github.com]}",
    "net.put{hosts=[api.github.com]}",
    "fs.read{in=/srv/site}",
    "fs.write{in=/srv/site/dist}",
    "proc.exec{in=/srv/site,cmds=[git,npm]}",
    "secrets.read{refs=[GITHUB_TOKEN,NPM_TOKEN]}"
  ),
  "records/agents/support-triage.md": record(
    "Sorts what customers write",
    "records.read",
    "records.create{classes=[ticket]}",
    "records.update{classes=[ticket,article]}",
    "records.delete{classes=[ticket]}",
    "net.get{hosts=[status.example.com,*.example.org]}",
    "attachments.read{kinds=[image,file]}",
    "storage.use{scopes=[session]}"
  ),
  "records/agents/data-analyst.md": record(
    "Answers questions about the figures",
    "fs.read{in=/srv/warehouse}",
    "fs.write{in=/srv/warehouse/reports}",
    "fs.delete{in=/srv/warehouse/reports}",
    "proc.exec{in=/srv/warehouse,cmds=[duckdb,python3]}",
    "storage.use{scopes=[session]}"
  ),
  "records/agents/researcher.md": record(
    "Reads the web",
    "net.get{hosts=[en.wikipedia.org,arxiv.org,api.crossref.org]}",
    "records.read",
    "records.create{classes=[note]}",
    "storage.use{scopes=[session]}"
  ),
  "records/agents/caretaker.md": record(
    "Looks after the other agents",
    "records.read",
    "agent.update{ids=[agents/researcher,agents/support-triage]}",
    "agent.grant{id=agents/researcher}",
    "net.get{hosts=[en.wikipedia.org]}"
  ),
  "personalities/visitor/config.yaml": [
    "id: visitor",
    "description: Whoever asks on the website",
    "fs_reach:",
    "  read:",
    "    - /srv/site/public",
    "safety:",
    "  network:",
    "    allow:",
    "      - status.example.com",
    "storage:",
    "  scopes:",
    "    - session",
    "secrets:",
    "  allow: []",
    "process:",
    "  allow: []",
    "attachments:",
    "  kinds: []",
    ""
  ].join("\n")
}

const github = ["releases", "commits", "pulls", "issues", "actions/runs"].map(
  (what) => `repos/example/site/${what}`
)

const get = (hosts: ReadonlyArray<string>, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  hosts.flatMap((host) => paths.map((path) => `GET https://${host}/${path}`))

const numbered = (count: number, text: (at: number) => string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => text(at + 1))

export const samples: ReadonlyArray<Sample> = [
  {
    id: "agents/release-bot",
    habits: [
      {
        tool: "mcp__github__list",
        origin: "mcp:github",
        asks: [get(["api.github.com"], github)],
        weight: 10
      },
      {
        tool: "publish_release",
        origin: "own",
        asks: [
          ["secret GITHUB_TOKEN"],
          [
            "POST https://api.github.com/repos/example/site/releases",
            "POST https://api.github.com/repos/example/site/dispatches"
          ]
        ],
        weight: 3
      },
      {
        tool: "read_file",
        origin: "builtin",
        asks: [numbered(30, (at) => `read /srv/site/docs/page-${at}.md`)],
        weight: 12
      },
      {
        tool: "write_file",
        origin: "builtin",
        asks: [numbered(20, (at) => `write /srv/site/dist/page-${at}.html`)],
        weight: 6
      },
      {
        tool: "run_command",
        origin: "builtin",
        asks: [["exec git log in /srv/site", "exec npm test in /srv/site", "exec git status in /srv/site"]],
        weight: 6
      },
      {
        tool: "web_fetch",
        origin: "builtin",
        asks: [["GET https://registry.npmjs.org/example-site"]],
        weight: 3
      },
      {
        tool: "run_command",
        origin: "builtin",
        asks: [["exec curl https://paste.example.net in /srv/site"]],
        weight: 0.25
      },
      {
        tool: "write_file",
        origin: "builtin",
        asks: [["write /srv/site/.github/workflows/deploy.yml"]],
        weight: 0.2
      }
    ]
  },
  {
    id: "agents/support-triage",
    habits: [
      {
        tool: "search_records",
        origin: "builtin",
        asks: [numbered(40, (at) => `records.read tickets/t-${1000 + at} of class ticket`)],
        weight: 22
      },
      {
        tool: "update_record",
        origin: "builtin",
        asks: [numbered(40, (at) => `records.update tickets/t-${1000 + at} of class ticket`)],
        weight: 14
      },
      {
        tool: "create_record",
        origin: "builtin",
        asks: [numbered(10, (at) => `records.create tickets/t-${1040 + at} of class ticket`)],
        weight: 5
      },
      {
        tool: "read_attachment",
        origin: "builtin",
        asks: [["attachment image", "attachment file"]],
        weight: 6
      },
      {
        tool: "web_fetch",
        origin: "builtin",
        asks: [["GET https://status.example.com/api/summary"]],
        weight: 4
      },
      { tool: "kv_set", origin: "builtin", asks: [["storage session"]], weight: 5 },
      {
        tool: "web_fetch",
        origin: "builtin",
        asks: [["GET https://drive.example.net/u/8812/invoice.zip", "GET https://collect.example.net/p"]],
        weight: 0.5
      },
      { tool: "read_attachment", origin: "builtin", asks: [["attachment audio"]], weight: 0.4 }
    ]
  },
  {
    id: "agents/data-analyst",
    habits: [
      {
        tool: "read_file",
        origin: "builtin",
        asks: [
          numbered(60, (at) => `read /srv/warehouse/2026/orders-${String(at).padStart(3, "0")}.parquet`)
        ],
        weight: 14
      },
      {
        tool: "run_command",
        origin: "builtin",
        asks: [["exec duckdb in /srv/warehouse", "exec python3 in /srv/warehouse"]],
        weight: 8
      },
      {
        tool: "write_file",
        origin: "builtin",
        asks: [numbered(12, (at) => `write /srv/warehouse/reports/week-${40 + at}.csv`)],
        weight: 4
      },
      { tool: "kv_get", origin: "builtin", asks: [["storage session"]], weight: 4 },
      {
        tool: "read_file",
        origin: "builtin",
        asks: [["read /srv/payroll/2026-10.csv", "read /srv/payroll/2026-09.csv"]],
        weight: 0.35
      }
    ]
  },
  {
    id: "agents/researcher",
    habits: [
      {
        tool: "web_fetch",
        origin: "builtin",
        asks: [
          get(
            ["en.wikipedia.org", "arxiv.org"],
            numbered(25, (at) => `item/${at}`)
          )
        ],
        weight: 16
      },
      { tool: "web_fetch", origin: "builtin", asks: [["GET https://api.crossref.org/works"]], weight: 3 },
      {
        tool: "create_record",
        origin: "builtin",
        asks: [numbered(20, (at) => `records.create notes/n-${at} of class note`)],
        weight: 5
      },
      {
        tool: "search_records",
        origin: "builtin",
        asks: [numbered(20, (at) => `records.read notes/n-${at} of class note`)],
        weight: 5
      },
      {
        tool: "web_fetch",
        origin: "builtin",
        asks: [get(["papers.example.net", "mirror.example.net"], ["a.pdf", "b.pdf"])],
        weight: 0.9
      }
    ]
  },
  {
    id: "visitor",
    habits: [
      {
        tool: "read_file",
        origin: "builtin",
        asks: [numbered(12, (at) => `read /srv/site/public/help-${at}.html`)],
        weight: 7
      },
      { tool: "kv_set", origin: "builtin", asks: [["storage session"]], weight: 3 },
      {
        tool: "read_file",
        origin: "builtin",
        asks: [["read /srv/site/.env.example", "read /srv/site/config/keys.json"]],
        weight: 0.4
      }
    ]
  }
]
