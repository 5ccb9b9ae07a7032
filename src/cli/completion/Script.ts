/**
 * What a shell runs to complete: it asks the command line itself, by what is typed so far. Nothing that comes back is
 * evaluated, and a name with characters that a shell would read is never given out.
 */
import type { Shell } from "../Forms.js"

const bash = `# bash completion for bailiwick. In ~/.bashrc: source <(bailiwick completion bash)
_bailiwick() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind=$line
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
  # Behind KEY= comes its value, and no blank.
  [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2> /dev/null
  case $kind in
    files)
      compopt -o default 2> /dev/null && return
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
      ;;
    directories)
      compopt -o dirnames 2> /dev/null && return
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "\${COMP_WORDS[COMP_CWORD]}")
      ;;
  esac
}
complete -F _bailiwick bailiwick
`

const zsh = `#compdef bailiwick
# zsh completion for bailiwick. In ~/.zshrc, after compinit: source <(bailiwick completion zsh)
_bailiwick() {
  local line
  local -a lines items keys
  lines=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  case \${lines[1]} in
    files) _files ;;
    directories) _files -/ ;;
    words)
      for line in "\${(@)lines[2,-1]}"; do
        if [[ \${line%%$'\\t'*} == *= ]]; then
          keys+=("\${line%%$'\\t'*}")
        else
          items+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
        fi
      done
      # Behind KEY= comes its value, and no blank.
      (( \${#keys} )) && compadd -S '' -a keys
      _describe -t bailiwick bailiwick items
      ;;
  esac
}
if [[ \${funcstack[1]} == _bailiwick ]]; then
  _bailiwick "$@"
else
  compdef _bailiwick bailiwick
fi
`

const fish = `# fish completion for bailiwick. Once: bailiwick completion fish > ~/.config/fish/completions/bailiwick.fish
function __bailiwick_complete
    set -l typed (commandline -opc)
    set -l program $typed[1]
    set -e typed[1]
    set -l current (commandline -ct)
    set -l lines ($program __complete -- $typed "$current" 2> /dev/null)
    set -l kind $lines[1]
    set -e lines[1]
    switch "$kind"
        case files
            __fish_complete_path "$current"
        case directories
            __fish_complete_directories "$current"
        case words
            test (count $lines) -gt 0; and printf '%s\\n' $lines
    end
end
complete -c bailiwick -f -a '(__bailiwick_complete)'
`

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish }

export const script = (shell: Shell): string => scripts[shell]
