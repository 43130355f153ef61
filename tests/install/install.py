#!/usr/bin/env python3
"""Installs into a scratch folder; then builds the skeleton of a policy against that with pkg-config, and replays it.

install.py MESON BUILD ROOT man|no-man CC…
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def run(*command, cwd=None, env=None):
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=dict(os.environ, **(env or {})), capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def main():
    meson, build, root, man, *cc = sys.argv[1:]
    root = pathlib.Path(root)
    prefix = os.environ["PREFIX"]
    with tempfile.TemporaryDirectory() as tmp:
        dest, work = pathlib.Path(tmp) / "dest", pathlib.Path(tmp) / "work"
        work.mkdir()
        run(meson, "install", "-C", build, "--no-rebuild", "--destdir", dest)

        def where(kind, *rest):
            # An absolute folder is not below the prefix.
            return dest / os.path.join(prefix, os.environ[kind], *rest).lstrip("/")

        rewake = where("BINDIR", "rewake")
        doc = where("DATADIR", "doc/rewake")
        verbs = [line.split("\t")[1] for line in run(rewake, "help", "--as=words").splitlines()
                 if line.startswith("name\t")]
        wanted = [doc / "README.md", doc / "schema.md", doc / "examples/policy_skeleton.c",
                  where("DATADIR", "bash-completion/completions/rewake"), where("DATADIR", "pkgconfig/rewake.pc")]
        wanted += [where("INCLUDEDIR", "rewake", header.name) for header in (root / "include/rewake").iterdir()]
        if man == "man":
            wanted += [where("MANDIR", f"man1/rewake-{verb}.1") for verb in verbs]
            wanted += [where("MANDIR", page) for page in
                       ("man1/rewake.1", "man5/rewake-schema.5", "man7/rewake-policy.7")]
        missing = [str(path.relative_to(dest)) for path in wanted if not path.is_file()]
        assert not missing, missing

        config = {"PKG_CONFIG_LIBDIR": str(where("DATADIR", "pkgconfig")), "PKG_CONFIG_SYSROOT_DIR": str(dest),
                  "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1"}
        pkg_config = shutil.which("pkg-config")
        flags = run(pkg_config, "--cflags", "rewake", env=config).split()
        examples = run(pkg_config, "--variable=examplesdir", "rewake", env=config).strip()
        # Some pkg-configs put the scratch folder in front of variables, too.
        examples = examples if examples.startswith(str(dest)) else f"{dest}{examples}"
        shutil.copy(f"{examples}/policy_skeleton.c", work / "mine.c")
        run(*cc, "-Wall", "-Wextra", "-Werror", "-shared", *flags, "-o", "mine.so", "mine.c", cwd=work)
        run(rewake, "import", "-q", root / "samples/oltp.dat", "-o", "run.db", cwd=work)
        run(rewake, "replay", "-q", "run.db", "-p", "./mine.so,prefer=waker", cwd=work)
        sql = "SELECT count(*), count(v.cpu) FROM decision d LEFT JOIN verdict v ON v.wakeup_id = d.id " \
              "AND v.policy = 'skeleton' AND v.reason IN ('preferred_idle', 'other_idle', 'preferred_busy', 'not_allowed')"
        decisions, answered = run(rewake, "query", "-f", "csv", "run.db", sql, cwd=work).splitlines()[1].split(",")
        assert int(decisions) > 1000 and decisions == answered, (decisions, answered)


if __name__ == "__main__":
    main()
