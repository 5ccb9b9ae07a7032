/**
 * Tokens that are known by their beginning, with what follows it: which characters, and how many at least. The numbers are
 * below what is issued, so that one that was cut off is found too, and above what a word has. Each is here because it is
 * issued in this form and opens something by itself; what looks like any other word (a hash, a UUID) is not.
 */
export interface Token {
  readonly name: string
  readonly prefix: string
  readonly body: string
  readonly least: number
  readonly most: number
}

const LETTERS = "[A-Za-z0-9]"
const WORD = "[A-Za-z0-9_]"
const NAME = "[A-Za-z0-9_-]"
const HEX = "[a-f0-9]"

const all = (
  name: string,
  prefixes: ReadonlyArray<string>,
  body: string,
  least: number,
  most = 255
): ReadonlyArray<Token> => prefixes.map((prefix) => ({ name, prefix, body, least, most }))

export const tokens: ReadonlyArray<Token> = [
  ...all("GitHub", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], LETTERS, 16),
  ...all("GitHub, fine-grained", ["github_pat_"], WORD, 16),
  ...all(
    "GitLab",
    ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-"],
    "[A-Za-z0-9_.-]",
    16
  ),
  ...all("AWS", ["AKIA", "ASIA"], "[A-Z0-9]", 16, 16),
  ...all(
    "Slack",
    ["xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-"],
    "[A-Za-z0-9.-]",
    10
  ),
  ...all("Slack, application", ["xapp-"], "[A-Za-z0-9-]", 24),
  ...all("Google, key", ["AIza"], NAME, 35, 35),
  ...all("Google, OAuth", ["ya29."], NAME, 24, 2048),
  ...all("Google, client", ["GOCSPX-"], NAME, 24),
  ...all("npm", ["npm_"], LETTERS, 30),
  ...all("PyPI", ["pypi-AgE"], NAME, 40, 1024),
  ...all("RubyGems", ["rubygems_"], HEX, 32),
  ...all("Docker", ["dckr_pat_", "dckr_oat_"], NAME, 20),
  ...all("Stripe", ["sk_live_", "sk_test_", "rk_live_", "rk_test_"], LETTERS, 10),
  ...all("Stripe, webhook", ["whsec_"], "[A-Za-z0-9+/]", 24),
  ...all("Anthropic", ["sk-ant-"], NAME, 16),
  ...all("OpenAI", ["sk-proj-", "sk-svcacct-", "sk-admin-"], NAME, 16),
  ...all("OpenRouter", ["sk-or-"], NAME, 16),
  ...all("OpenAI, older", ["sk-"], LETTERS, 32),
  ...all("Groq", ["gsk_"], LETTERS, 40),
  ...all("xAI", ["xai-"], LETTERS, 40),
  ...all("Hugging Face", ["hf_"], LETTERS, 30),
  ...all("Replicate", ["r8_"], LETTERS, 30),
  ...all("DigitalOcean", ["dop_v1_", "doo_v1_", "dor_v1_"], HEX, 32),
  ...all("Shopify", ["shpat_", "shpca_", "shppa_", "shpss_"], "[A-Fa-f0-9]", 32),
  ...all("Linear", ["lin_api_"], LETTERS, 32),
  ...all("Notion", ["ntn_"], LETTERS, 40),
  ...all("Databricks", ["dapi"], HEX, 32, 34),
  ...all("Vault", ["hvs.", "hvb."], NAME, 24),
  ...all("Grafana", ["glsa_"], WORD, 32),
  ...all("Postman", ["PMAK-"], "[A-Za-z0-9-]", 40),
  ...all("New Relic", ["NRAK-"], "[A-Z0-9]", 24),
  ...all("Supabase", ["sbp_"], HEX, 32),
  ...all("Atlassian", ["ATATT3x"], "[A-Za-z0-9_=-]", 40, 512),
  ...all("SendGrid", ["SG."], "[A-Za-z0-9_.-]", 60),
  ...all("age", ["AGE-SECRET-KEY-1"], "[A-Z0-9]", 50)
]
