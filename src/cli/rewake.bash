# Completion of rewake's command lines in bash.  What there is, the program itself tells: `rewake help --as=words`.

# Files, or folders with -d, that continue $1.
_rewake_files() {
	local IFS=$'\n'
	compopt -o filenames 2>/dev/null
	COMPREPLY+=($(compgen "${2:--f}" -- "$1"))
}

_rewake_words() { # what is typed, words…
	local cur=$1
	shift
	COMPREPLY+=($(compgen -W "$*" -- "$cur"))
}

# A policy; once there is a comma, its parameters, and what these may be.
_rewake_spec() { # program, what is typed
	local spec=$2 last=${2##*,} line kind name
	if [[ $spec == *,* ]]; then
		while IFS= read -r line; do
			if [[ $last != *=* && $line =~ ^'  '([a-z_0-9]+=) ]]; then
				compopt -o nospace 2>/dev/null
				_rewake_words "$spec" "${spec%,*},${BASH_REMATCH[1]}"
			elif [[ $last == *=* && $line =~ ^'  '"${last%%=*}"=.*' ('(.*)')'$ ]]; then
				for name in ${BASH_REMATCH[1]}; do
					_rewake_words "$spec" "${spec%=*}=$name"
				done
			fi
		done < <("$1" policies "${spec%%,*}" 2>/dev/null)
		return
	fi
	while IFS=$'\t' read -r kind name; do
		[[ $kind == name ]] && _rewake_words "$spec" "$name"
	done < <("$1" help --as=words policies 2>/dev/null)
	[[ $spec == */* ]] && _rewake_files "$spec"
}

_rewake() {
	local program=$1 cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}
	local kind what value option='' command='' tail='' nr=0 i word
	local -a arguments=() names=() words=()
	local -A takes=() values=()
	COMPREPLY=()

	((COMP_CWORD > 1)) || verb=help
	while IFS=$'\t' read -r kind what value; do
		case $kind in
		option) takes[$what]=$value ;;
		value) values[$what]+="$value " ;;
		argument) arguments+=("$what") ;;
		name) names+=("$what") ;;
		command) command=1 ;;
		esac
	done < <("$program" help --as=words "$verb" 2>/dev/null)
	if ((COMP_CWORD == 1)); then
		_rewake_words "$cur" "${names[@]}" --help --version
		return
	fi

	# Bash has "--option=value" in three words, and "-p policy,param=value" in four: the latter are joined again.
	for ((i = 2; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == = && ${words[-1]:-} != -* ]]; then
			words[-1]+="=" tail=0
		elif [[ $tail == 0 ]]; then
			words[-1]+=$word tail=''
		else
			words+=("$word") tail=''
		fi
	done
	cur=${words[-1]}
	unset 'words[-1]'
	[[ $cur == = ]] && words+=(=) cur=''

	for ((i = 0; i < ${#words[@]}; i++)); do
		word=${words[i]}
		if [[ $word == = ]]; then
			option=${words[i - 1]}
		elif [[ $option ]]; then
			option=''
		elif [[ $word == -- ]]; then
			command=here
			i=$((i + 1))
			break
		elif [[ $word == -* ]]; then
			[[ ${takes[$word]:-} ]] && option=$word
		elif [[ $command ]]; then
			command=here
			break
		else
			nr=$((nr + 1))
		fi
	done

	if [[ $option ]]; then
		case ${takes[$option]:-} in
		SPEC) _rewake_spec "$program" "$cur" ;;
		DIR) _rewake_files "$cur" -d ;;
		*FILE* | OTHER) _rewake_files "$cur" ;;
		esac
		[[ ${values[$option]:-} ]] && _rewake_words "$cur" "${values[$option]}"
	elif [[ $command == here ]]; then
		((i == ${#words[@]})) && COMPREPLY+=($(compgen -c -- "$cur")) || _rewake_files "$cur"
	elif [[ $cur == -* ]]; then
		_rewake_words "$cur" "${!takes[@]}"
	elif ((${#names[@]} && nr + 1 == ${#arguments[@]})); then
		_rewake_words "$cur" "${names[@]}"
	elif ((nr < ${#arguments[@]})); then
		_rewake_files "$cur"
	elif [[ $command ]]; then
		COMPREPLY+=($(compgen -c -- "$cur"))
	fi
	# What stands before a "=" of this word is no part of what bash replaces.
	[[ $cur == *=* ]] && COMPREPLY=("${COMPREPLY[@]#"${cur%=*}="}")
	return 0
}

complete -F _rewake rewake
