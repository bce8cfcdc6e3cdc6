// SPDX-License-Identifier: Apache-2.0
#include "checks/calls/programs.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace rpl {
namespace {

constexpr ProgramRule kPrograms[] = {
    // --- Files.
    {"cat tac nl head tail more wc od hexdump strings base64 base32 md5sum sha1sum "
     "sha256sum sha512sum cksum rev fold expand unexpand fmt pr column paste comm cmp diff diff3 "
     "join stat file readlink realpath ls du bat zcat bzcat xzcat gzcat",
     Operands::kReads, "-n= -c= --lines= --bytes= -s= -w= -t= -L= -N= -j= -d= -I= --width= -P="},
    {"tree source-highlight", Operands::kReads, "-o> --output> -L= -P= -I="},
    {"less zless", Operands::kReads,
     "-o> -O> --log-file> --LOG-FILE> -p= --pattern= -P= --prompt= -t= --tag= -T< --tag-file< -k? "
     "--lesskey-file? --lesskey-src? --lesskey-content? -b= --buffers= -D= --color= -h= "
     "--max-back-scroll= -j= --jump-target= -x= --tabs= -y= --max-forw-scroll= -z= --window= -#= "
     "--shift= --rscroll="},
    {"cut", Operands::kReads, "-d= -f= -c= -b= -s -n="},
    {"uniq", Operands::kFilters,
     "-f= --skip-fields= -s= --skip-chars= -w= --check-chars= --all-repeated --group"},
    {"xxd", Operands::kFilters,
     "-c= -cols= -g= -groupsize= -l= -len= -n= -name= -o= -s= -seek= -R= -a -autoskip -b -bits -C "
     "-capitalize -d -e -E -EBCDIC -i -include -p -ps -postscript -plain -r -revert -u -upper"},
    {"sort", Operands::kReads,
     "-o> --output> -k= -t= -S= -T= --key= --field-separator= --compress-program? --files0-from<"},
    {"tr seq yes echo printf", Operands::kNone, ""},
    {"split csplit", Operands::kEditsUnknown, "--filter$"},
    {"grep egrep fgrep zgrep rg ag ack", Operands::kReadsAfterFirst,
     "-e= -f< -m= -A= -B= -C= -g= -t= -T= --regexp= --file< --include= --exclude= --exclude-dir= "
     "--max-count= --glob= --type= -r% -R% --recursive% --dereference-recursive% --context= "
     "--color= --colour= --pre? -M= --max-depth= --sort= "
     "--pager?"},
    {"jq yq", Operands::kReadsAfterFirst,
     "-f< --from-file< --arg= --argjson= --slurpfile= --rawfile= --indent= -L= -i^ --inplace^ "
     "--in-place^"},
    {"tee sponge rmdir unlink mkfifo mknod", Operands::kEdits, "-m= --mode= --output-error="},
    {"touch", Operands::kEdits, "-d= --date= -r= --reference= -t="},
    {"truncate fallocate shred", Operands::kEdits,
     "-s= --size= -r= --reference= -l= --length= -o= --offset= -n= --iterations= --random-source="},
    {"mkdir", Operands::kEdits, "-m= --mode="},
    {"vi vim nvim view ex ed red emacs nano", Operands::kEval, ""},
    {"rm", Operands::kEdits, "-r% -R% --recursive% -d"},
    {"chmod chown chgrp chattr setfacl", Operands::kEditsAfterFirst,
     "-R% --recursive% --reference= -m= -x="},
    {"cp", Operands::kCopies,
     "-t> --target-directory> -S= --suffix= -r% -R% --recursive% -a% --archive% -T "
     "--no-preserve= --sparse= --reflink --backup --context="},
    {"install", Operands::kCopies,
     "-t> --target-directory> -S= -m= --mode= -o= -g= --owner= --group= -d^ --directory^ "
     "--strip-program? -D"},
    {"scp", Operands::kCopies, "-r% -P= -i= -o? -F+ -S? -l= -c= -J="},
    {"rsync", Operands::kCopies,
     "-a% -r% -e? --rsh? --rsync-path? --exclude= --include= --filter= -f= --files-from< "
     "--log-file> --backup-dir> --partial-dir> --temp-dir> -T> --delete% --archive% --recursive%"},
    {"mv", Operands::kMoves, "-t> --target-directory> -S= --suffix= --backup -T"},
    {"rename", Operands::kEditsUnknown, ""},
    {"ln link", Operands::kLinks, "-t> --target-directory> -S= --suffix= -s -f -n"},
    {"dd", Operands::kDd, ""},
    {"patch", Operands::kEditsUnknown, "-i< --input< -o> --output> -d= -p= -r>"},
    {"sed gsed", Operands::kSed, "-i -e= --expression= -f? --file? -n -E -r -s -z -l= --debug"},
    {"awk gawk mawk nawk", Operands::kAwk, "-f? --file? -F= -v= -i? -l? -e= -o> -p> -d> -E?"},
    {"tar bsdtar unzip 7z cpio ar gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd zip",
     Operands::kTar, ""},
    {"clang-format prettier black isort gofmt rustfmt ruff eslint autopep8 dos2unix unix2dos",
     Operands::kFormats, ""},
    // --- Addresses.
    {"curl", Operands::kFetches,
     "-o> --output> -O* --remote-name* --remote-name-all* -J% --remote-header-name% --output-dir> "
     "-T< --upload-file< -K? "
     "--config? -H+ --header+ -X= --request= -d+ --data+ --data-binary+ --data-raw= "
     "--data-urlencode= --data-ascii+ --json+ -F+ --form+ --form-string= -u= --user= -A= "
     "--user-agent= -e= --referer= -b< --cookie< -c> --cookie-jar> -D> --dump-header> -x@ --proxy@ "
     "-m= --max-time= --connect-timeout= --retry= --retry-delay= --retry-max-time= -w= "
     "--write-out= --url@ -r= --range= -C= --continue-at= --cacert< --capath< -E< --cert< --key< "
     "--resolve? --connect-to? --interface= --limit-rate= -y= -Y= -z= -Q= -P= -t= --trace> "
     "--trace-ascii> --stderr> --preproxy@ --socks5@ --socks4@ --max-redirs= --libcurl> "
     "--etag-save> "
     "--etag-compare< --netrc-file< --unix-socket? --variable= --expand-url? --doh-url@ -U= "
     "--noproxy= --ciphers= --oauth2-bearer= --aws-sigv4= --max-filesize= --parallel-max= "
     "--hsts> --alt-svc> --rate= --ipfs-gateway@ --proto= --proto-default= --tls-max="},
    {"wget wget2", Operands::kDownloads,
     "-O> --output-document> -o> --output-file> -a> --append-output> -i? --input-file? -P> "
     "--directory-prefix> -e? --execute? --use-askpass? -T= --timeout= -t= --tries= -U= "
     "--user-agent= --header= --post-data= --post-file< --body-data= --body-file< --method= -w= "
     "--wait= -Q= -l= --level= -A= -R= -D= --user= --password= --load-cookies< --save-cookies> "
     "--config? -B= --base= --limit-rate= -X= -I= --waitretry= --random-file= --ca-certificate<"},
    {"http https xh lynx w3m links", Operands::kFetches, "-o> --output> -d>"},
    {"aria2c", Operands::kDownloads, "-d= --dir= -i? --input-file? --on-download-complete?"},
    {"nc ncat netcat telnet socat ftp sftp ssh mosh", Operands::kEval, ""},
    // --- Programs that run another.
    {"env", Operands::kAssignedRuns,
     "-u= --unset= -C/ --chdir/ -S? --split-string? -i --ignore-environment -0 --block-signal "
     "--default-signal --ignore-signal --list-signal-handling -v --debug -a= --argv0= -P?"},
    {"sudo", Operands::kAssignedRuns,
     "-u= --user= -g= --group= -h= --host= -p= --prompt= -C= --close-from= -D/ --chdir/ -R? "
     "--chroot? -T= --command-timeout= -U= --other-user= -r= --role= -t= --type= -a= -c= -e! "
     "--edit! -i~ --login~ -s~ --shell~ -l# --list# -v# -k -K# -n -S -E -H -P -A -b"},
    {"doas", Operands::kAssignedRuns, "-u= -C? -s~ -n -L"},
    {"su runuser", Operands::kEval, ""},
    {"nohup setsid chronic unbuffer noglob nocorrect - -- dbus-run-session fakeroot "
     "catchsegv",
     Operands::kRuns, "-c -f -w --fork --ctty --wait"},
    {"time", Operands::kRuns, "-p -f= --format= -o> --output> -a -v --portability --verbose"},
    {"nice", Operands::kRuns, "-n= --adjustment="},
    {"ionice", Operands::kRuns, "-c= -n= --class= --classdata= -t"},
    {"chrt", Operands::kRuns, "-f -r -o -b -i -m -T= -P= -D=", 1},
    {"taskset", Operands::kRuns, "-c --cpu-list -a", 1},
    {"numactl cgexec prlimit", Operands::kEval, ""},
    {"timeout gtimeout", Operands::kRuns,
     "-k= --kill-after= -s= --signal= -v --verbose --foreground --preserve-status", 1},
    {"stdbuf", Operands::kRuns, "-i= -o= -e= --input= --output= --error="},
    {"exec", Operands::kRuns, "-a= -c -l"},
    {"command", Operands::kRuns, "-p -v# -V#"},
    {"builtin", Operands::kRuns, ""},
    {"repeat", Operands::kRuns, "", 1},
    {"flock", Operands::kRuns,
     "-w= --timeout= -E= --conflict-exit-code= -c$ --command$ -s -x -e -n -u -o", 1},
    {"chroot", Operands::kRuns, "--userspec= --groups= --skip-chdir", 1},
    {"strace ltrace", Operands::kRuns,
     "-o> --output> -e= -p= -s= -u= -E= -P= -a= -O= -S= -f -ff -c -C -t -tt -v -x -y -yy"},
    {"valgrind", Operands::kRuns, "--log-file>"},
    {"perf gdb lldb", Operands::kEval, ""},
    {"parallel watch entr", Operands::kEval, ""},
    {"busybox toybox", Operands::kRuns, "--install! --list#"},
    {"caffeinate", Operands::kRuns, "-t= -w= -d -i -m -s -u"},
    {"dotenv direnv mise asdf rbenv pyenv nodenv", Operands::kEval, ""},
    {"xargs gxargs", Operands::kXargs,
     "-I= -i -n= -P= -L= -l -s= -d= -a< -E= -e --max-args= --max-procs= --max-lines --max-chars= "
     "--delimiter= --arg-file< --replace --eof --process-slot-var= --null -0 -r --no-run-if-empty "
     "-t -p -x -o --open-tty --verbose --interactive --exit -J= -R= -S="},
    {"script", Operands::kPrints,
     "-c$ --command$ -a -e -f -q -t> -T> --log-timing> -O> --log-out> -I> --log-in> -B> --log-io> "
     "-E= -m= -o= --echo= --output-limit= --return --quiet --flush --append --force"},
    {"find gfind fd fdfind", Operands::kFind, ""},
    {"bash sh zsh dash ksh mksh ash rbash fish yash", Operands::kShell,
     "-o= +o= -O= +O= --rcfile? --init-file? --norc --noprofile --login --posix --emulate="},
    {"eval source . hash enable fc bind complete compgen mapfile readarray coproc autoload "
     "zmodload "
     "emulate zle zcompile expect tmux screen at batch crontab systemd-run pipx "
     "nsenter unshare osascript pwsh pwsh.exe powershell powershell.exe cmd.exe wsl wsl.exe",
     Operands::kEval, ""},
    // They run a program of a package, which they may download.
    {"npx bunx pnpx", Operands::kRunsListed,
     "-p= --package= -c$ --call$ -y --yes --no --no-install -q --quiet -s --silent --offline "
     "--prefer-offline --ignore-existing -w= --workspace= --registry= --cache= --bun --verbose"},
    {"setpriv", Operands::kRunsListed,
     "--ambient-caps= --inh-caps= --bounding-set= --ruid= --euid= --rgid= --egid= --reuid= "
     "--regid= --groups= --securebits= --pdeathsig= --selinux-label= --apparmor-profile= -d# "
     "--dump# --clear-groups --keep-groups --init-groups --no-new-privs --nnp --reset-env"},
    {"linux32 linux64", Operands::kRunsListed,
     "-v --verbose -R --addr-no-randomize -3 --3gb -L --addr-compat-layout -X -Z -B --32bit"},
    {"choom", Operands::kRunsListed, "-n= --adjust= -p# --pid#"},
    {"ssh-agent", Operands::kRunsListed, "-a= -E= -O= -P= -t= -c -s -d -D -k"},
    {"pkexec", Operands::kRunsListed, "--user= -u= --disable-internal-agent --keep-cwd"},
    {"ld.so", Operands::kRunsListed,
     "--library-path= --argv0= --inhibit-cache --inhibit-rpath= --list# --verify# "
     "--glibc-hwcaps-prepend= --glibc-hwcaps-mask="},
    {"setarch firejail bwrap proot runcon cpulimit rlwrap xvfb-run faketime", Operands::kEval, ""},
    {"make gmake", Operands::kMake, ""},
    {"uvx", Operands::kRunsListed,
     "--from= --with= --with-editable= -p= --python= --index-url= -q --quiet -v --verbose "
     "--offline --isolated --no-cache --refresh --prerelease="},
    {"trap", Operands::kTrap, ""},
    {"alias", Operands::kAlias, ""},
    {"cd chdir", Operands::kChangesFolder, ""},
    {"pushd popd dirs", Operands::kLosesFolder, ""},
    // --- Programs with subcommands.
    {"git", Operands::kSubcommand,
     "-C/ -c? --git-dir= --work-tree? --namespace= --exec-path? --config-env? --super-prefix= "
     "--attr-source= --list-cmds# -p --paginate -P --no-pager --bare --no-replace-objects "
     "--literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs "
     "--no-optional-locks --no-lazy-fetch --no-advice --version --help -h -v --html-path "
     "--man-path --info-path"},
    {"docker podman nerdctl", Operands::kSubcommand,
     "-H= --host= -c= --context= --config? -l= --log-level= -D --debug --tls --tlsverify "
     "--tlscacert= --tlscert= --tlskey= -v --version"},
    {"npm pnpm yarn bun", Operands::kSubcommand,
     "-C/ --prefix/ --cwd/ --dir/ -w= --workspace= --filter= -F= --registry= --loglevel= --cache= "
     "--userconfig? --script-shell? -s --silent -q --quiet -d --verbose -g --global -y --yes "
     "--workspaces -ws --if-present --json --offline --force -f -r --recursive --version -v --help "
     "-h"},
    {"cargo rustup", Operands::kSubcommand,
     "-C/ --config? --color= -Z= --explain= -v -vv -q --verbose --quiet --locked --offline "
     "--frozen "
     "-V --version --list -h --help"},
    {"kubectl oc", Operands::kSubcommand,
     "-n= --namespace= --context= --cluster= --kubeconfig= --user= -s= --server= --token= --as= "
     "--as-group= -v= --request-timeout= --cache-dir= --certificate-authority= "
     "--client-certificate= --client-key= --insecure-skip-tls-verify --warnings-as-errors"},
    {"helm", Operands::kSubcommand,
     "-n= --namespace= --kube-context= --kubeconfig= --debug --registry-config= "
     "--repository-cache= --repository-config="},
    {"gh glab", Operands::kSubcommand, "-R= --repo= --hostname= --help --version"},
    {"go", Operands::kSubcommand, "-C/"},
    {"terraform tofu", Operands::kSubcommand, "-chdir= --chdir= -version -help"},
    {"systemctl", Operands::kSubcommand,
     "-H? -M? -t= --type= --state= -p= --property= -n= -o= --user --system -q --quiet --no-pager "
     "--no-block --now -a --all -l --full --root="},
    {"apt apt-get dnf yum brew pip pip3 uv poetry gem aws gcloud az bundle pipenv pdm "
     "hatch",
     Operands::kSubcommand,
     "-y --yes -q -qq --quiet --verbose -v --version --help -h -o= -c? --profile= --region= "
     "--output= --project= --no-input --disable-pip-version-check --directory/ --debug"},
};

// Behind the subcommand.
constexpr ProgramRule kSubcommands[] = {
    {"git/rm", Operands::kEdits, "-r% --pathspec-from-file<"},
    {"git/clean", Operands::kEdits, "-e= --exclude="},
    {"git/mv", Operands::kMoves, ""},
    {"git/restore", Operands::kEdits, "-s= --source= --conflict= --pathspec-from-file<"},
    {"git/checkout git/switch git/apply git/am git/stash git/merge git/cherry-pick "
     "git/revert git/read-tree git/checkout-index git/worktree git/sparse-checkout git/reset "
     "git/init git/format-patch git/rerere git/unpack-file git/bundle",
     Operands::kEditsUnknown, ""},
    {"git/rebase git/pull git/filter-branch git/archive git/difftool git/mergetool",
     Operands::kEditsUnknown,
     "-x$ --exec$ --extcmd$ --tree-filter$ --index-filter$ --msg-filter$ --commit-filter$ "
     "--env-filter$ --parent-filter$ --tag-name-filter$ --setup$ --upload-pack$ -u$ -c? --config? "
     "-s= -X= -b= --onto= --depth="},
    {"git/clone", Operands::kClones,
     "--upload-pack$ -u$ -c? --config? --template? -b= --branch= --depth= -o= --origin= -j= "
     "--jobs= --separate-git-dir> --reference= --reference-if-able= --filter= --shallow-since= "
     "--shallow-exclude= --server-option= --bundle-uri= --ref-format= --revision="},
    {"git/bisect git/submodule git/instaweb git/citool git/for-each-repo git/hook git/daemon "
     "git/shell git/http-backend git/send-email git/quiltimport git/p4 git/maintenance "
     "git/merge-index git/merge-one-file git/remote-ext",
     Operands::kEval, ""},
    {"git/push git/fetch git/ls-remote git/send-pack git/fetch-pack", Operands::kNone,
     "--receive-pack$ --exec$ --upload-pack$"},
    {"git/grep", Operands::kReadsAfterFirst, "-O$ --open-files-in-pager$ -f< -e="},
    {"git/diff git/log git/show git/diff-tree git/diff-index git/diff-files", Operands::kNone,
     "--output>"},
    {"git/hash-object git/blame git/annotate", Operands::kReads, "-t= -L= -S= --path="},
    {"npm/exec npm/x pnpm/exec pnpm/dlx yarn/exec yarn/dlx bun/x", Operands::kRunsListed,
     "-p= --package= -c$ --call$ -y --yes --no -q --quiet -s --silent --offline --prefer-offline "
     "-w= --workspace= --workspaces -r --recursive --bun"},
    {"uv/run", Operands::kRunsListed,
     "--with= --with-editable= --with-requirements= -p= --python= --extra= --group= --no-group= "
     "--only-group= --package= --project= --directory/ --index-url= --env-file? -m! --module! "
     "-s! --script! --gui-script! --all-extras --all-groups --all-packages --dev --no-dev "
     "--only-dev --no-project --active --frozen --locked --no-sync --isolated --offline --exact "
     "--refresh --no-cache -n -q --quiet -v --verbose --no-env-file --no-config"},
    {"poetry/run", Operands::kRunsListed,
     "-q --quiet -n --no-interaction -v -vv -vvv --ansi --no-ansi --no-cache -C/ --directory/ -P= "
     "--project="},
    {"pipenv/run", Operands::kRunsListed, "-q --quiet -v --verbose"},
    {"pdm/run", Operands::kRunsListed, "-q --quiet -v --verbose -p= --project= --venv="},
    {"hatch/run", Operands::kRunsListed, ""},
    {"bundle/exec", Operands::kRunsListed, "--gemfile= --keep-file-descriptors"},
    {"bun/exec uv/tool", Operands::kEval, ""},
    {"go/run go/generate go/test cargo/run cargo/test", Operands::kNone,
     "-exec$ --exec$ -toolexec$"},
};

using Rows = std::unordered_map<std::string_view, const ProgramRule*>;

template <std::size_t count>
Rows RowsOf(const ProgramRule (&rules)[count]) {
  Rows rows;
  for (const ProgramRule& rule : rules) {
    for (std::string_view rest = rule.names; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      rows.emplace(rest.substr(0, end), &rule);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return rows;
}

// Whether a word is in a list with blanks between.
bool HasWord(std::string_view list, std::string_view word) {
  if (word.empty() || word.find(' ') != word.npos) return false;
  for (std::size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
    const bool begins = at == 0 || list[at - 1] == ' ';
    const std::size_t end = at + word.size();
    if (begins && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

const ProgramRule* FindProgram(std::string_view name) {
  static const Rows rows = RowsOf(kPrograms);
  // The loader of programs, by the names that systems have for it.
  const bool is_loader = name.starts_with("ld-") && name.find(".so") != name.npos;
  const auto found = rows.find(is_loader ? "ld.so" : name);
  return found == rows.end() ? nullptr : found->second;
}

const ProgramRule* FindSubcommand(std::string_view program, std::string_view subcommand) {
  static const Rows rows = RowsOf(kSubcommands);
  const auto found = rows.find(std::string(program).append("/").append(subcommand));
  return found == rows.end() ? nullptr : found->second;
}

char MeaningOf(const ProgramRule& rule, std::string_view option) {
  constexpr std::string_view kSigns = "=><@$?!%^#/*~+";
  char abbreviated = '\0';
  for (std::string_view rest = rule.options; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string_view name = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    char sign = ' ';
    if (!name.empty() && kSigns.find(name.back()) != kSigns.npos) {
      sign = name.back();
      name.remove_suffix(1);
    }
    if (name == option) return sign;
    const bool is_long = option.size() > 2 && option.starts_with("--");
    if (is_long && name.starts_with(option) && abbreviated == '\0') abbreviated = sign;
  }
  return abbreviated;
}

bool IsGitCommand(std::string_view subcommand) {
  // `git --list-cmds=main,others` without what is installed apart.
  return HasWord(
      "add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file "
      "check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry "
      "cherry-pick clean clone column commit commit-graph commit-tree config count-objects "
      "credential credential-cache credential-store daemon describe diagnose diff diff-files "
      "diff-index diff-pairs diff-tree difftool fast-export fast-import fetch fetch-pack "
      "filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck fsck-objects gc "
      "get-tar-commit-id grep hash-object help hook http-backend http-fetch http-push imap-send "
      "index-pack init init-db instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo "
      "mailsplit maintenance merge merge-base merge-file merge-index merge-octopus merge-one-file "
      "merge-ours merge-recursive merge-resolve merge-subtree merge-tree mergetool mktag mktree "
      "multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id prune "
      "prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog refs "
      "remote remote-ext remote-fd repack replace replay replace request-pull rerere reset restore "
      "rev-list rev-parse revert rm send-email send-pack shell shortlog show show-branch "
      "show-index "
      "show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag "
      "unpack-file unpack-objects update-index update-ref update-server-info upload-archive "
      "upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree "
      "write-tree",
      subcommand);
}

bool IsReadingGitCommand(std::string_view subcommand) {
  return HasWord(
      "add stage annotate blame branch cat-file check-attr check-ignore cherry commit describe "
      "diff diff-files diff-index diff-tree fetch grep hash-object log ls-files ls-remote ls-tree "
      "merge-base name-rev push range-diff reflog rev-list rev-parse shortlog show show-branch "
      "show-ref status tag whatchanged",
      subcommand);
}

bool IsHarmlessGitSetting(std::string_view setting) {
  std::string name(setting.substr(0, setting.find('=')));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  for (const std::string_view section : {"user.", "author.", "committer.", "color.", "advice."})
    if (name.starts_with(section)) return true;
  return HasWord(
      "init.defaultbranch commit.gpgsign tag.gpgsign core.quotepath core.autocrlf core.eol "
      "core.safecrlf core.longpaths core.filemode core.ignorecase core.precomposeunicode "
      "merge.conflictstyle push.default push.followtags pull.rebase pull.ff merge.ff "
      "rebase.autosquash rebase.autostash fetch.prune log.date log.decorate diff.renames "
      "diff.algorithm http.postbuffer http.version protocol.version gc.auto safe.directory",
      name);
}

bool SetsGitPrograms(std::span<const ShellWord> words) {
  bool has_key = false, is_harmless = false, reads = false;
  for (const ShellWord& word : words) {
    const std::string& text = word.text;
    if (word.known() && text.starts_with('-')) {
      if (HasWord("--get --get-all --get-regexp --get-urlmatch --list -l --unset --unset-all",
                  text))
        reads = true;
      if (HasWord("-e --edit --rename-section", text)) return true;
      continue;
    }
    if (!has_key && HasWord("get list unset", text)) reads = true;
    if (!has_key && HasWord("edit rename-section", text)) return true;
    if (!has_key && HasWord("get set list unset", text)) continue;
    if (has_key) return !reads && !is_harmless;
    // The file, type or default of an option is no key, and what follows it is one.
    const bool is_key = text.find('.') != text.npos && text.find('/') == text.npos;
    if (!word.known() && text.find('.') == text.npos) {
      if (!reads) return true;
      continue;
    }
    if (!is_key) continue;
    has_key = true;
    is_harmless = IsHarmlessGitSetting(text);
    for (const std::string_view section : {"branch.", "push.", "pull.", "rebase.", "fetch.",
                                           "status.", "log.", "rerere.", "format.", "i18n."})
      is_harmless = is_harmless || text.starts_with(section);
    if (word.splits && !is_harmless && !reads) return true;
  }
  return false;
}

bool IsGitSetup(std::string_view path) {
  for (const std::string_view end : {"/.gitconfig", "/git/config", "/git/attributes"})
    if (path.ends_with(end)) return true;
  const std::string whole = "/" + std::string(path) + "/";
  const std::size_t git = whole.find("/.git/");
  if (git == whole.npos) return false;
  const std::string_view rest = std::string_view(whole).substr(git + 5);
  for (const std::string_view part :
       {"/hooks/", "/config/", "/config.worktree/", "/info/attributes/"})
    if (rest.find(part) != rest.npos) return true;
  return false;
}

bool ChangesPrograms(std::string_view variable) {
  for (const std::string_view start : {"LD_", "DYLD_", "BASH_"})
    if (variable.starts_with(start)) return true;
  return HasWord("PATH path CDPATH cdpath HOME FPATH fpath SHELL", variable);
}

bool RunsByItself(std::string_view variable) {
  if (variable.starts_with("BASH_FUNC")) return true;
  return HasWord(
      "BASH_ENV ENV PS0 PS1 PS2 PS4 PROMPT PROMPT_COMMAND SHELLOPTS BASHOPTS ZDOTDIR BASH_ALIASES "
      "BASH_CMDS aliases galiases saliases functions commands dis_aliases dis_functions "
      "prompt PROMPT4 precmd_functions preexec_functions chpwd_functions exit_functions",
      variable);
}

bool ChangesGit(std::string_view variable, std::string_view value) {
  for (const std::string_view start : {"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_TRACE"})
    if (variable.starts_with(start)) return false;
  if (HasWord("GIT_TERMINAL_PROMPT GIT_MERGE_AUTOEDIT GIT_OPTIONAL_LOCKS GIT_ADVICE", variable))
    return false;
  if (HasWord("GIT_PAGER PAGER GIT_EDITOR EDITOR VISUAL GIT_SEQUENCE_EDITOR", variable))
    return !value.empty() && !HasWord("cat less true :", value);
  return variable.starts_with("GIT_") || variable.starts_with("SSH_") || variable == "LESSOPEN" ||
         variable == "XDG_CONFIG_HOME";
}

bool IsHarmlessBuiltin(std::string_view name) {
  return HasWord("echo true : test [ pwd type sleep", name);
}

bool IsBuiltin(std::string_view name) {
  return HasWord(
      ". : [ alias autoload bg bind break builtin bye caller cd chdir command compgen complete "
      "compopt continue coproc declare dirs disable disown echo emulate enable eval exec exit "
      "export false fc fg float functions getopts hash help history integer jobs kill let local "
      "logout mapfile noglob popd print printf private pushd pwd read readarray readonly rehash "
      "repeat return sched select set setopt shift shopt source suspend test time times trap true "
      "type typeset ulimit umask unalias unfunction unhash unset unsetopt vared wait whence where "
      "which zle zmodload zstyle",
      name);
}

}  // namespace rpl
