// Forms out of JSON Schemas.

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// A <details> of a tool. call(name, arguments, signal) is run when it is sent.
function toolForm(tool, call) {
  const schema = tool.inputSchema;
  const fields = Object.entries(schema.properties || {}).map(([name, type]) =>
    field(`${tool.name}-${name}`, name, type, (schema.required || []).includes(name)),
  );
  const send = element("button", { textContent: "Call" });
  const cancel = element("button", { textContent: "Cancel", type: "button", disabled: true });
  const form = element("form", {}, ...fields.map((one) => one.row), element("div", { className: "row" }, send, cancel));
  form.setAttribute("aria-label", tool.name);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = {};
    for (const { name, input, read } of fields) {
      input.setCustomValidity("");
      try {
        const value = read();
        if (value !== undefined) given[name] = value;
      } catch {
        input.setCustomValidity("This is no JSON.");
        input.reportValidity();
        return;
      }
    }
    const stop = new AbortController();
    cancel.onclick = () => stop.abort();
    send.disabled = true;
    cancel.disabled = false;
    await call(tool.name, given, stop.signal);
    const held = document.activeElement === cancel || document.activeElement === document.body;
    send.disabled = false;
    cancel.disabled = true;
    if (held) send.focus();
  });
  const title = element("summary", {}, tool.title || tool.name, element("span", { textContent: tool.description || "" }));
  return element("details", {}, title, form);
}

// {name, row, input, read}: read() is the value, undefined for none; it throws if it is no JSON.
function field(id, name, type, required) {
  const made = control(id, name, type, required);
  const row = element("div", { className: "field" }, element("label", { htmlFor: id, textContent: name }), made.shown || made.input);
  if (type.description) {
    row.append(element("small", { id: id + "-hint", textContent: type.description }));
    made.input.setAttribute("aria-describedby", id + "-hint");
  }
  return { name, row, input: made.input, read: made.read };
}

function control(id, name, type, required) {
  if (type.enum) return choice(id, type, required);
  if (type.type === "boolean") {
    // Who sees the robot need not wait; and while a call waits, the picture does.
    const input = element("input", { id, type: "checkbox", checked: name !== "wait" && !!type.default });
    return { input, read: () => input.checked };
  }
  if (type.type === "integer" || type.type === "number") return number(id, name, type, required);
  if (type.type === "string") {
    const input = element("input", { id, type: "text", required, value: type.default || "" });
    if (type.maxLength !== undefined) input.maxLength = type.maxLength;
    if (type.minLength !== undefined) input.minLength = type.minLength;
    return { input, read: () => (input.value || required ? input.value : undefined) };
  }
  const input = element("textarea", { id, required, rows: 2 });
  if (type.type === "array" && (type.items || {}).type === "string") {
    input.placeholder = "one, two, …";
    return { input, read: () => (input.value ? input.value.split(/[,\n]+/).map((s) => s.trim()).filter(Boolean) : undefined) };
  }
  input.placeholder = "JSON";
  return { input, read: () => (input.value ? JSON.parse(input.value) : undefined) };
}

function choice(id, type, required) {
  const input = element("select", { id }, ...type.enum.map((value) => element("option", { value, textContent: value })));
  if (!required) input.prepend(element("option", { value: "", textContent: "–", selected: true }));
  if (type.default !== undefined) input.value = type.default;
  return { input, read: () => (input.value === "" ? undefined : type.enum.find((value) => String(value) === input.value)) };
}

// With both limits it is a slider and a number, which follow each other.
function number(id, name, type, required) {
  const { minimum: low, maximum: high } = type;
  const step = type.type === "integer" ? 1 : 0.1;
  const input = element("input", { id, type: "number", step: step === 1 ? 1 : "any", required });
  if (low !== undefined) input.min = low;
  if (high !== undefined) input.max = high;
  const bounded = low !== undefined && high !== undefined;
  const first = type.default ?? (required ? Math.max(low ?? 0, Math.min(high ?? 0, 0)) : "");
  input.value = first;
  const made = { input, read: () => (input.value === "" ? undefined : Number(input.value)) };
  if (bounded) {
    const slider = element("input", { type: "range", min: low, max: high, step, value: first === "" ? low : first });
    slider.setAttribute("aria-label", name + " slider");
    slider.addEventListener("input", () => (input.value = slider.value));
    input.addEventListener("input", () => (slider.value = input.value));
    made.shown = element("div", { className: "pair" }, slider, input);
  }
  return made;
}
