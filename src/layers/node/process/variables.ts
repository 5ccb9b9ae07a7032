/**
 * Variables that make a command run or read something other than what was permitted. A tool sets none of them; the
 * loaders among them are not even taken over from the operator.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

interface Family {
  readonly names: ReadonlySet<string>
  readonly prefixes: ReadonlyArray<string>
}

/** What children get of the operator's environment. */
const passed = words("PATH HOME USER LOGNAME LANG LANGUAGE TZ TERM COLORTERM TMPDIR SHELL")

export const isPassed = (name: string): boolean => passed.has(name) || name.startsWith("LC_")

/** Code that is loaded into whatever runs. */
const loaders: Family = {
  names: words(`
    ENV BASH_ENV BASHOPTS SHELLOPTS BASH_LOADABLES_PATH IFS PS0 PS4 PROMPT_COMMAND FPATH ZDOTDIR KSH_ENV
    GCONV_PATH LOCPATH NLSPATH GLIBC_TUNABLES GETCONF_DIR HOSTALIASES RESOLV_HOST_CONF
    NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_V8_COVERAGE NODE_CHANNEL_FD ELECTRON_RUN_AS_NODE
    PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PYTHONEXECUTABLE PYTHONUSERBASE PYTHONBREAKPOINT
    PYTHONWARNINGS PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONCASEOK
    PERLLIB RUBYOPT RUBYLIB RUBYPATH RUBYSHELL PHPRC PHP_INI_SCAN_DIR
    JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH GOFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER
    LESSOPEN LESSCLOSE OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES GTK_MODULES GTK_PATH GIO_MODULE_DIR
    GIO_EXTRA_MODULES QT_PLUGIN_PATH
  `),
  prefixes: ["LD_", "DYLD_", "_RLD", "MALLOC_", "BASH_FUNC_", "PERL5", "LUA_", "DOTNET_", "COR_", "CORECLR_"]
}

/** Other programs, options and configuration: for the operator to choose, not for a tool. */
const steering: Family = {
  names: words(`
    HOME SHELL PS1 PS2 CDPATH GLOBIGNORE XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_DIRS XDG_RUNTIME_DIR
    LOCALDOMAIN RES_OPTIONS TZDIR TERMCAP TERMINFO TERMINFO_DIRS INPUTRC
    NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_REDIRECT_WARNINGS NODE_COMPILE_CACHE NODE_ICU_DATA
    PERL_UNICODE PERL_MM_OPT PERL_MB_OPT GEM_HOME GEM_PATH BUNDLE_GEMFILE
    JAVA_OPTS JAVA_HOME MAVEN_OPTS GRADLE_OPTS SBT_OPTS GOENV GOTOOLDIR GOROOT RUSTC RUSTFLAGS RUSTUP_HOME
    MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES TAR_OPTIONS GREP_OPTIONS RIPGREP_CONFIG_PATH
    PAGER MANPAGER BAT_PAGER SYSTEMD_PAGER LESS LESSKEY EDITOR VISUAL FCEDIT SUDO_EDITOR BROWSER
    SSH_ASKPASS SUDO_ASKPASS SSH_AUTH_SOCK RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH SVN_SSH HGRCPATH
    VIMINIT EXINIT GVIMINIT VIM VIMRUNTIME EMACSLOADPATH CURL_HOME WGETRC NETRC PSQLRC PGSERVICEFILE PGSYSCONFDIR
    KUBECONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE
  `),
  prefixes: [
    "R_PROFILE",
    "R_ENVIRON",
    "COMPLUS_",
    "CARGO_",
    "NPM_CONFIG_",
    "PNPM_CONFIG_",
    "YARN_",
    "PIP_",
    "DOCKER_",
    "BAILIWICK_"
  ]
}

const has = ({ names, prefixes }: Family, upper: string): boolean =>
  names.has(upper) || prefixes.some((prefix) => upper.startsWith(prefix))

/** Of git's many only those that say who writes, and when. */
const harmlessGit = /^GIT_(?:AUTHOR_|COMMITTER_|TERMINAL_PROMPT$|OPTIONAL_LOCKS$)/

const isGit = (upper: string): boolean => upper.startsWith("GIT_") && !harmlessGit.test(upper)

/** Not even taken over from the operator. */
export const isLoader = (name: string): boolean => {
  const upper = name.toUpperCase()
  return isGit(upper) || has(loaders, upper)
}

/** Not accepted from a tool. */
export const isRefused = (name: string): boolean => isLoader(name) || has(steering, name.toUpperCase())
