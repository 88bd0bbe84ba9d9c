"""The page of the access point: it tells the robot its network, and needs nothing from elsewhere."""

LINES = (
    b"Content-Type: text/html; charset=utf-8\r\n"
    b"Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    b"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
)
HTML = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Robot setup</title><style>
body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:2rem auto;padding:0 1rem;background:#f4f1ea;
color:#24211c}
label{display:block;margin-top:1rem}input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem}
button{font:inherit;font-weight:600;margin-top:1.5rem;padding:.6rem 1.2rem;background:#b4531a;color:#fff;border:0;
border-radius:.5rem}#told{font-weight:600}#parts{color:#6b645a;font-size:.9rem}
</style></head><body>
<h1>Robot setup</h1>
<form id="form">
<label for="name">Wi-Fi network</label><input id="name" list="names" required maxlength="32" autocomplete="off">
<datalist id="names"></datalist>
<label for="password">Password (empty for an open network)</label>
<input id="password" type="password" maxlength="63" autocomplete="off">
<label for="hostname">Name of the robot</label><input id="hostname" required maxlength="32" pattern="[A-Za-z0-9\\-]+">
<button>Save and restart</button></form>
<p id="told" role="status"></p><ul id="parts"></ul>
<script>
const at = id => document.getElementById(id)
fetch('/setup').then(r => r.json()).then(found => {
  at('hostname').value = found.hostname
  for (const name of found.networks) at('names').append(new Option(name, name))
  for (const [part, why] of Object.entries(found.missing)) {
    const li = document.createElement('li'); li.textContent = 'missing: ' + part + ': ' + why; at('parts').append(li)
  }
})
at('form').onsubmit = async event => {
  event.preventDefault()
  at('told').textContent = 'Saving ...'
  const body = JSON.stringify({name: at('name').value, password: at('password').value, hostname: at('hostname').value})
  try {
    const reply = await fetch('/setup', {method: 'POST', headers: {'Content-Type': 'application/json'}, body})
    const said = await reply.json()
    at('told').textContent = reply.ok ? 'Saved. The robot restarts and joins ' + at('name').value + '.' : said.message
  } catch { at('told').textContent = 'The robot did not answer. Join its network again, and try once more.' }
}
</script></body></html>
"""
