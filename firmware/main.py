"""Boot: starts the app, and nothing else."""

import app

app.main()
