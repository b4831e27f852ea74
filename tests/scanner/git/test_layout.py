"""Where a repository's parts lie, and which pointers are followed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from scanner.git import NotARepositoryError, open_repository, submodule_paths
from scanner.walk import looks_bare
from tests.support import Git, write


def refusal(path: Path, *allowed: Path) -> str:
    with pytest.raises(NotARepositoryError) as caught:
        open_repository(str(path), allowed=[str(root) for root in allowed])
    return caught.value.code


def test_a_folder_without_git_is_no_repository(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "no-repository"
    assert refusal(tmp_path / "missing") == "no-repository"
    assert refusal(write(tmp_path / "file")) == "no-repository"


@pytest.mark.parametrize("path", ["a\0b", "x" * 5_000, ""])
def test_a_path_that_cannot_be_is_no_repository(path: str) -> None:
    with pytest.raises(NotARepositoryError):
        open_repository(path)


def test_an_empty_git_folder_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()

    assert refusal(tmp_path) == "no-repository"


def test_a_git_that_is_a_pipe_is_no_repository(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")

    assert refusal(tmp_path) == "no-repository"


@pytest.mark.parametrize("text", ["", "gitdir:", "gitdir: \n", "nonsense", "gitdir: a\nb", "gitdir: a\0b"])
def test_a_gitfile_that_names_nothing_is_malformed(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)

    assert refusal(tmp_path) == "gitfile-malformed"


def test_a_gitfile_beyond_its_cap_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: " + "x" * 5_000)

    assert refusal(tmp_path) == "unreadable"


def test_a_linked_worktree_outside_every_root_is_known_by_its_back_pointer(git: Git) -> None:
    main = git.repository("area/main")
    git("worktree", "add", "-q", "-b", "side", str(git.root / "far" / "side"), cwd=main)

    with open_repository(str(git.root / "far" / "side")) as repository:
        assert repository.is_linked_worktree
        assert repository.head().branch == "side"
        assert repository.common_dir == str(main / ".git")
        assert not repository.is_submodule


def test_a_foreign_repository_that_does_not_point_back_is_refused(git: Git) -> None:
    victim = git.repository("private/victim")
    git("worktree", "add", "-q", str(git.root / "elsewhere"), cwd=victim)
    attacker = git.root / "unpacked"
    attacker.mkdir()
    for target in (victim / ".git", victim / ".git" / "worktrees" / "elsewhere"):
        (attacker / ".git").write_text(f"gitdir: {target}\n")

        assert refusal(attacker) == "gitdir-outside-roots"
        assert refusal(attacker, attacker) == "gitdir-outside-roots"
        with open_repository(str(attacker), allowed=[str(git.root)]) as repository:
            assert repository.head().oid  # the same pointer is followed where the roots allow it


def test_a_git_link_to_a_foreign_repository_is_refused(git: Git) -> None:
    victim = git.repository("private/victim")
    attacker = git.root / "unpacked"
    attacker.mkdir()
    (attacker / ".git").symlink_to(victim / ".git")

    assert refusal(attacker) == "gitdir-outside-roots"
    with open_repository(str(attacker), allowed=[str(git.root)]) as repository:
        assert repository.head().branch == "main"


def test_a_common_folder_that_lies_elsewhere_is_refused(git: Git) -> None:
    victim = git.repository("private/victim")
    attacker = git.root / "unpacked"
    record = attacker / "record"
    record.mkdir(parents=True)
    (attacker / ".git").write_text("gitdir: record\n")
    (record / "HEAD").write_text("ref: refs/heads/main\n")
    (record / "commondir").write_text(f"{victim / '.git'}\n")

    assert refusal(attacker) == "commondir-outside-roots"
    with open_repository(str(attacker), allowed=[str(git.root)]) as repository:
        assert repository.head().oid


def test_a_root_whose_name_merely_starts_alike_allows_nothing(git: Git) -> None:
    victim = git.repository("roots-private/victim")
    attacker = git.root / "roots" / "unpacked"
    attacker.mkdir(parents=True)
    (attacker / ".git").write_text(f"gitdir: {victim / '.git'}\n")

    assert refusal(attacker, git.root / "roots") == "gitdir-outside-roots"


def test_a_worktree_may_be_named_by_relative_paths(git: Git) -> None:
    main = git.repository("main")
    git("worktree", "add", "-q", "-b", "side", "../side", cwd=main)
    (git.root / "side" / ".git").write_text("gitdir: ../main/.git/worktrees/side\n")
    (main / ".git" / "worktrees" / "side" / "gitdir").write_text("../../../../side/.git\n")

    with open_repository(str(git.root / "side")) as repository:
        assert repository.head().branch == "side"
    with open_repository(str(main)) as repository:
        (linked,) = repository.worktrees()
    assert (linked.path, linked.exists) == (str(git.root / "side"), True)


def test_a_worktree_that_vanished_is_listed_as_gone(git: Git) -> None:
    main = git.repository("main")
    git("worktree", "add", "-q", "-b", "side", "../side", cwd=main)
    git("worktree", "add", "-q", "--detach", "../kept", cwd=main)
    shutil.rmtree(git.root / "side")

    with open_repository(str(main)) as repository:
        found = {Path(linked.path).name: linked for linked in repository.worktrees()}

    assert not found["side"].exists
    assert found["side"].head.branch == "side"
    assert found["kept"].exists
    assert (found["kept"].head.branch, found["kept"].head.oid) == (None, git("rev-parse", "HEAD", cwd=main))


def test_a_worktree_whose_repository_is_gone_is_no_repository(git: Git) -> None:
    main = git.repository("main")
    git("worktree", "add", "-q", "-b", "side", "../side", cwd=main)
    shutil.rmtree(main)

    assert refusal(git.root / "side", git.root) == "gitdir-missing"


def test_worktrees_of_a_bare_hub_find_the_hub(git: Git) -> None:
    git.repository("source")
    git("clone", "-q", "--bare", "source", "hub/.bare")
    (git.root / "hub" / ".git").write_text("gitdir: ./.bare\n")
    git("worktree", "add", "-q", "-b", "side", "../side", cwd=git.root / "hub" / ".bare")

    with open_repository(str(git.root / "hub")) as hub:
        assert hub.is_bare
        assert [linked.path for linked in hub.worktrees()] == [str(git.root / "hub" / "side")]
    with open_repository(str(git.root / "hub" / "side")) as side:
        assert not side.is_bare
        assert side.common_dir == str(git.root / "hub" / ".bare")


def test_a_real_submodule_is_told_from_a_project_of_its_own(git: Git) -> None:
    git.repository("library")
    parent = git.repository("modules/parent")
    git("submodule", "--quiet", "add", "../../library", "lib/inner", cwd=parent)

    with open_repository(str(parent / "lib" / "inner")) as repository:
        assert repository.is_submodule
        assert not repository.is_linked_worktree
        assert repository.common_dir == repository.git_dir
        assert repository.head().branch == "main"
    with open_repository(str(parent)) as repository:
        assert not repository.is_submodule
    assert submodule_paths(str(parent)) == ("lib/inner",)


def test_a_separate_git_folder_is_followed_only_inside_the_roots(git: Git) -> None:
    (git.root / "work").mkdir()
    git("init", "-q", "--separate-git-dir", str(git.root / "data"), cwd=git.root / "work")
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=git.root / "work")

    assert refusal(git.root / "work") == "gitdir-outside-roots"
    with open_repository(str(git.root / "work"), allowed=[str(git.root)]) as repository:
        assert repository.head().branch == "main"
        assert not repository.is_submodule


def test_a_bare_repository_has_no_work_tree(git: Git) -> None:
    git.repository("source")
    git("clone", "-q", "--bare", "source", "bare.git")

    with open_repository(str(git.root / "bare.git")) as repository:
        assert repository.is_bare
        assert repository.work_tree is None
        assert repository.head().branch == "main"


def test_a_bare_repository_is_known_by_the_names_in_its_folder() -> None:
    parts = frozenset({"HEAD", "config"})

    assert looks_bare(parts, frozenset({"objects", "refs", "hooks"}))
    assert looks_bare(parts, frozenset({"objects", "reftable"}))
    assert not looks_bare(parts, frozenset({"objects"}))
    assert not looks_bare(frozenset(), frozenset({"HEAD", "objects", "refs"}))


def test_unknown_extensions_and_versions_do_not_stop_the_reader(git: Git) -> None:
    path = git.repository("p")
    oid = git("rev-parse", "HEAD", cwd=path)
    config = (
        (path / ".git" / "config")
        .read_text()
        .replace("repositoryformatversion = 0", "repositoryformatversion = 99")
    )
    (path / ".git" / "config").write_text(
        config + "[extensions]\n\trelativeWorktrees = true\n\tnew = thing\n"
    )
    assert git("rev-parse", "HEAD", cwd=path, check=False) != oid  # git itself refuses

    with open_repository(str(path)) as repository:
        assert repository.head().oid == oid


def test_core_worktree_is_not_followed(git: Git, tmp_path: Path) -> None:
    path = git.repository("p")
    git("config", "core.worktree", str(tmp_path / "elsewhere"), cwd=path)

    with open_repository(str(path)) as repository:
        assert repository.work_tree == str(path)


def test_the_owner_of_the_git_folder_is_told(git: Git) -> None:
    path = git.repository("p")

    with open_repository(str(path)) as repository:
        assert repository.owner == os.geteuid()


def test_the_worktrees_own_configuration_counts_only_with_its_extension(git: Git) -> None:
    path = git.repository("p")
    (path / ".git" / "config.worktree").write_text('[remote "origin"]\n\turl = host:x\n')

    with open_repository(str(path)) as repository:
        assert repository.remote_url() is None
    git("config", "extensions.worktreeConfig", "true", cwd=path)
    with open_repository(str(path)) as repository:
        assert repository.remote_url() == "host:x"


@pytest.mark.parametrize("path", ["../out", "/etc", "a/../../b", "", "."])
def test_a_submodule_outside_of_its_parent_is_not_named(tmp_path: Path, path: str) -> None:
    write(tmp_path / ".gitmodules", f'[submodule "x"]\n\tpath = {path}\n[submodule "y"]\n\tpath = good/one\n')

    assert submodule_paths(str(tmp_path)) == ("good/one",)


def test_the_repository_of_a_folder_above_every_root_is_refused(git: Git) -> None:
    # A home that is kept in git: what lies in it may be anybody's download.
    git.repository("home")
    attacker = git.root / "home" / "root" / "unpacked"
    attacker.mkdir(parents=True)
    (attacker / ".git").write_text(f"gitdir: {git.root / 'home' / '.git'}\n")

    assert refusal(attacker, git.root / "home" / "root") == "gitdir-outside-roots"


def test_a_submodule_of_a_project_above_the_root_is_known_by_its_own_configuration(git: Git) -> None:
    git.repository("library")
    parent = git.repository("parent")
    git("submodule", "--quiet", "add", "../library", "lib/inner", cwd=parent)
    thief = parent / "lib" / "thief"
    thief.mkdir()
    (thief / ".git").write_text("gitdir: ../../.git/modules/lib/inner\n")

    with open_repository(str(parent / "lib" / "inner"), allowed=[str(parent / "lib")]) as repository:
        assert repository.is_submodule
    assert refusal(thief, parent / "lib") == "gitdir-outside-roots"


def test_a_worktree_that_was_found_by_its_record_must_name_that_record(git: Git) -> None:
    main = git.repository("main")
    git("worktree", "add", "-q", "-b", "side", "../side", cwd=main)
    git("worktree", "add", "-q", "-b", "other", "../other", cwd=main)
    with open_repository(str(main)) as repository:
        record = next(tree.git_dir for tree in repository.worktrees() if tree.path.endswith("side"))

    def refused(path: Path) -> str:
        with pytest.raises(NotARepositoryError) as caught:
            open_repository(str(path), allowed=[str(git.root)], record=record)
        return caught.value.code

    with open_repository(str(git.root / "side"), allowed=[str(git.root)], record=record) as side:
        assert side.head().branch == "side"
    assert refused(git.root / "other") == "gitdir-of-another"
    assert refused(main) == "gitdir-of-another"
    (git.root / "linked").mkdir()
    (git.root / "linked" / ".git").symlink_to(record)
    assert refused(git.root / "linked") == "gitdir-of-another"


def test_the_info_folder_is_named_only_where_it_may_be_read(git: Git) -> None:
    path = git.repository("p")
    with open_repository(str(path)) as repository:
        assert repository.info_file("exclude") == str(path / ".git" / "info" / "exclude")
    shutil.move(path / ".git" / "info", git.root / "info")
    with open_repository(str(path)) as repository:
        assert repository.info_file("exclude") == ""
    (path / ".git" / "info").symlink_to(git.root / "info")
    with open_repository(str(path)) as repository:
        assert repository.info_file("exclude") == ""
    with open_repository(str(path), allowed=[str(git.root)]) as repository:
        assert repository.info_file("exclude") == str(path / ".git" / "info" / "exclude")
