"""Speech from a server, for the robot's voice: the preferences `tts.*` say which. Where it fails there are beeps.

voice.recorded = Speaking(robot, preferences, log).speak
"""

import asyncio

from micropython import const

from net.tts import SpeechServer
from robot.speech import Speech
from robot.wav import Wav

_ROOM_MS = const(20)  # between two looks whether the speech takes more
_REST_MS = const(2000)  # that a moving head is waited for
_MAX_SAID = const(200)  # characters of what a server says is wrong
_SERVER_MS = const(1500)  # that a server may take, for the guess
# For the guess: a letter of Latin script, and any other.
_LETTER_MS = const(65)
_OTHER_MS = const(150)
_SETTINGS = ("kind", "url", "voice", "model", "key", "format", "ca")


class Speaking:
    """robot: `robot.robot.Robot` whose speaker has `play`.  preferences: has `get(key)`.  log: log(level, text)."""

    def __init__(self, robot, preferences, log):
        self._robot = robot
        self._get = preferences.get
        self._log = log
        self._kept = self._settings = None

    def speak(self, text, level=100):
        """See `Voice.speak`. It returns at once; a task brings the sound until the voice stops it."""
        speech = Speech(self._robot.ports.speaker, guess_ms(text) + _SERVER_MS)
        task = asyncio.create_task(self._bring(speech, text))
        speech.abandon = task.cancel
        self._robot.voice.play(speech, level)
        return speech.report

    async def _bring(self, speech, text):
        server = None
        try:
            server = self._server()
            sink = Sink(speech, self._robot.policy.quiet)
            await server.say(text, sink)
            speech.end(sink.finished())
        except Exception as e:  # Whatever is wrong with a server: the text is said all the same.
            self._instead(speech, text, e)
        finally:
            if server is not None:
                server.drop()

    # Kept as long as the preferences are the same, with the address that its name stands for, but no connection.
    def _server(self):
        settings = [self._get("tts." + name) for name in _SETTINGS]
        if self._kept is None or self._settings != settings:
            kind, url, voice, model, key, form, ca = settings
            if ca is not None:
                with open(ca, "rb") as f:
                    ca = f.read()
            self._kept = SpeechServer(kind, url, voice, model, key, form, ca, self._rest)
            self._settings = settings
        return self._kept

    # Looking up a name stops all else.
    async def _rest(self):
        left_ms = _REST_MS
        while self._robot.moving and left_ms > 0:
            await asyncio.sleep_ms(_ROOM_MS)
            left_ms -= _ROOM_MS

    # What was heard is not said again in beeps.
    def _instead(self, speech, text, error):
        self._kept = None
        robot = self._robot
        robot.faults["speech"] = robot.faults.get("speech", 0) + 1
        said = str(error) or type(error).__name__
        key = self._get("tts.key")
        if key:  # Some servers repeat the one that they do not take.
            said = said.replace(key, "***")
        self._log("warning", "speech: %s" % said[:_MAX_SAID])
        if speech.sounds or robot.policy.quiet():
            speech.end(False)
        else:
            speech.fall_back(*robot.voice.beeps(text))


class Sink:
    """Brings what a `net.tts.SpeechServer` sends to a `Speech`.  quiet: function, bool: it may not begin."""

    def __init__(self, speech, quiet):
        self._speech = speech
        self._quiet = quiet
        self._wav = None
        self._begun = False  # the part that comes
        self._whole = True  # those before
        self._came = 0

    def part(self, rate, left):
        """See `net.tts`."""
        self._close()
        self._rate = rate
        self._wav = Wav() if rate is None else None
        self._left = left
        self._begun = False

    async def take(self, data):
        """See `net.tts`. Raises ValueError for what is no sound that a speaker plays."""
        wav = self._wav
        if wav is not None:
            data = wav.feed(data)
        if not data:
            return
        speech = self._speech
        if not self._begun:
            self._begin(wav)
        self._came += len(data)
        at = speech.write(data)
        while at < len(data):
            await asyncio.sleep_ms(_ROOM_MS)
            at += speech.write(data, at)

    @property
    def whole(self):
        """See `net.tts`: all that the head of a WAV file has promised has come."""
        return self._begun and self._wav is not None and self._wav.size is not None and self._wav.whole

    def finished(self):
        """bool: nothing is missing. Raises ValueError if there was no sound at all."""
        self._close()
        if not self._came:
            raise ValueError("the server sent no sound")
        return self._whole

    def _begin(self, wav):
        if not self._came and self._quiet():
            raise ValueError("quiet hours")
        self._begun = True
        if wav is None:
            self._speech.begin(self._rate)
        else:
            self._speech.begin(wav.rate, wav.size, self._left * _OTHER_MS)

    def _close(self):
        if self._wav is not None and self._begun and not self._wav.whole:
            self._whole = False


def guess_ms(text):
    """About how long a text takes to say, in milliseconds."""
    size = len(text.encode())
    others = (size - len(text)) // 2  # A kana or kanji has three bytes.
    return min(120000, (len(text) - others) * _LETTER_MS + others * _OTHER_MS)
