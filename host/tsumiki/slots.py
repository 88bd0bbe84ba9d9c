"""Two versions of the firmware on a board, one of which is in force.

    /tsumiki/a/, /tsumiki/b/         the files of each
    /tsumiki/a.json, /tsumiki/b.json what is ours in it: its manifest
    /tsumiki/slot                    `a` or `b`: the one that main.py starts

A deploy fills the slot that is not in force, checks every file of it, and then renames a new /tsumiki/slot over the old
one: in one step the new version is in force, and until then the old one is. Nothing but what a manifest names is
written or removed, and main.py.
"""

import errno
import json

from .errors import Failed
from .payload import digest

HOME = "/tsumiki/"
SLOT = HOME + "slot"
MAIN = "/main.py"
FOREIGN = MAIN + ".before"
_MANY = 16  # files that are hashed in one command
_FOLDER_BLOCKS = 2  # LittleFS: a folder is a pair of blocks
_SPARE_BLOCKS = 8  # manifests, and what LittleFS copies before it frees


class Slots:
    """device: an open `device.Device`.  tell: function of (done, all, text): how far it is."""

    def __init__(self, device, tell=lambda done, all_, text: None):
        self._device = device
        self._tell = tell
        slot = device.call("read", SLOT)
        self.current = slot.decode().strip() if slot else None
        if self.current not in (None, "a", "b"):
            self.current = None
        self.manifests = {name: self._manifest(name) for name in ("a", "b")}

    def _manifest(self, slot):
        raw = self._device.call("read", "%s%s.json" % (HOME, slot))
        try:
            found = dict(json.loads(raw or b"{}"))
            names = [str(name) for name in found.get("files", ())]
        except (ValueError, TypeError):
            found, names = {}, []
        manifest = {key: found.get(key) for key in ("board", "version", "main", "whole")}
        return dict(manifest, files=names)

    @property
    def board(self):
        """What the version in force was built for: str, or None."""
        return self.manifests[self.current]["board"] if self.current else None

    def states(self, slot, names):
        """{name: (SHA-256, bytes)} of the files of a slot that are there."""
        found = {}
        names = sorted(names)
        for at in range(0, len(names), _MANY):
            some = names[at : at + _MANY]
            self._tell(0, 0, "looking at what is there")
            states = self._device.call("states", "%s%s/" % (HOME, slot), some, seconds=60)
            found.update((name, state) for name, state in zip(some, states) if state)
        return found

    def foreign_main(self, payload):
        """Whether the board's main.py is somebody else's."""
        state = self._device.call("state", MAIN)
        ours = [manifest["main"] for manifest in self.manifests.values()]
        return state is not None and state[0] not in [digest(payload.main), *ours]

    def holds(self, payload):
        """Whether the version in force is this one, file by file."""
        if not self.current:
            return False
        wanted = {name: digest(data) for name, data in payload.files.items()}
        ours = self.manifests[self.current]
        if set(ours["files"]) != set(wanted) or ours["board"] != payload.board:
            return False
        return {name: state[0] for name, state in self.states(self.current, wanted).items()} == wanted

    def install(self, payload):
        """Bring the payload onto the board and into force; (files sent, bytes sent).  Raises `Failed`."""
        if self.holds(payload):
            self._put_main(payload)
            return 0, 0
        spare = "b" if self.current == "a" else "a"
        try:
            return self._install(payload, spare)
        except Failed as e:
            if getattr(e, "errno", None) == errno.ENOSPC:
                raise self._full("") from e
            raise

    def _install(self, payload, spare):
        device = self._device
        folder = "%s%s/" % (HOME, spare)
        wanted = {name: digest(data) for name, data in payload.files.items()}
        owned = set(self.manifests[spare]["files"]) | set(wanted)
        there = self.states(spare, owned)
        base = self.states(self.current, self._base_names(wanted)) if self.current else {}
        todo = sorted(name for name in wanted if there.get(name, ("",))[0] != wanted[name])
        self._check_space(payload, there, todo)
        # An owner's own files are told by this, even if the cable is pulled now.
        self._keep_manifest(spare, payload, sorted(owned), False)
        stale = sorted(owned - set(wanted))
        for at in range(0, len(stale), _MANY):
            device.call("remove", folder, stale[at : at + _MANY])
        sent = [name for name in todo if base.get(name, ("",))[0] != wanted[name]]
        for done, name in enumerate(todo):
            self._tell(done, len(todo), name)
            if name in sent:
                device.write(folder + name, payload.files[name])
            else:
                device.call("copy", "%s%s/%s" % (HOME, self.current, name), folder + name, seconds=60)
        self._verify(spare, wanted)
        self._keep_manifest(spare, payload, sorted(wanted), True)
        device.replace(SLOT, spare.encode())
        self.current = spare
        self._put_main(payload)
        return len(sent), sum(len(payload.files[name]) for name in sent)

    def check(self, slot):
        """Raises `Failed` if a slot does not have all its files: a deploy did not come to its end, say."""
        manifest = self.manifests[slot]
        names = manifest["files"]
        if not names:
            raise Failed("the board has no version before this one")
        if not manifest["whole"] or len(self.states(slot, names)) != len(names):
            raise Failed("the version before is not whole: a later deploy has begun to write over it")

    def _base_names(self, wanted):
        return set(self.manifests[self.current]["files"]) & set(wanted)

    def _keep_manifest(self, slot, payload, names, whole):
        manifest = {"board": payload.board, "version": payload.version, "main": digest(payload.main)}
        manifest.update(whole=whole, files=names)
        self._device.replace("%s%s.json" % (HOME, slot), json.dumps(manifest).encode())
        self.manifests[slot] = manifest

    def _verify(self, slot, wanted):
        found = self.states(slot, wanted)
        wrong = sorted(name for name in wanted if found.get(name, ("",))[0] != wanted[name])
        if wrong:
            raise Failed(
                "%d files are not on the board as they were sent, %s among them; the old version stays in force. "
                "Try again, with another cable if it happens again" % (len(wrong), wrong[0])
            )

    # Any main.py of ours starts any slot; one of its owner's starts what it did until now.
    def _put_main(self, payload):
        device = self._device
        state = device.call("state", MAIN)
        if state and state[0] == digest(payload.main):
            return
        if self.foreign_main(payload):
            device.write(FOREIGN, device.call("read", MAIN))
        device.replace(MAIN, payload.main)

    def _check_space(self, payload, there, todo):
        block, free, _ = self._device.call("space")
        stale = [state[1] for name, state in there.items() if name not in payload.files or name in todo]
        folders = {name.rsplit("/", 1)[0] for name in todo if "/" in name}
        held = {name.rsplit("/", 1)[0] for name in there if "/" in name}
        need = sum(-(-len(payload.files[name]) // block) for name in todo)
        need += _FOLDER_BLOCKS * len(folders - held) + _SPARE_BLOCKS
        need -= sum(-(-size // block) for size in stale)
        if need > free:
            raise self._full(
                " %d KB are needed and %d KB are free." % (need * block // 1024, free * block // 1024)
            )

    def _full(self, why):
        ours = [HOME, MAIN]
        files = [(n, path) for n, path in self._device.call("largest", 200, seconds=60)
                 if not any(path.startswith(mine) for mine in ours)]  # fmt: skip
        text = "the board's file system is full, and the old version stays in force.%s" % why
        if files:
            some = ", ".join("%s (%d KB)" % (path, -(-size // 1024)) for size, path in reversed(files[-4:]))
            return Failed(
                "%s The largest files of yours: %s. Remove some (mpremote rm :PATH), and try again"
                % (text, some)
            )
        return Failed(
            "%s Two versions do not fit on it: use a firmware with the robot in it (make firmware)" % text
        )
