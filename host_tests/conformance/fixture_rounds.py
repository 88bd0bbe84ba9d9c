"""Tools of the fixture that ask in the way of multi round-trip requests; they do not know that."""

from fixture_asks import form, user

from umcp.errors import CannotAsk


def answered(answer, name):
    """What the user gave as the field of that name."""
    return (answer.get("content") or {}).get(name, "nobody")


async def input_required_result_elicitation(context):
    answer = await context.elicit("What is your name?", form("name"), key="user_name")
    return "Hello, %s!" % answered(answer, "name")


async def input_required_result_sampling(context):
    question = user("What is the capital of France?")
    reply = await context.sample(question, max_tokens=100, key="capital_question")
    return reply["content"]["text"]


async def input_required_result_list_roots(context):
    roots = await context.roots(key="client_roots")
    return "Roots: " + ", ".join(root["uri"] for root in roots)


async def input_required_result_request_state(context):
    await context.elicit("Please confirm", form("ok", type="boolean"), key="confirm")
    return "state-ok"


async def input_required_result_tampered_state(context):
    return await input_required_result_request_state(context)


async def input_required_result_multiple_inputs(context):
    name = {"message": "What is your name?", "requestedSchema": form("name")}
    answers = await context.ask(
        {
            "user_name": ("elicitation/create", name),
            "greeting": (
                "sampling/createMessage",
                {"messages": user("Generate a greeting"), "maxTokens": 50},
            ),
            "client_roots": ("roots/list", {}),
        }
    )
    greeting = answers["greeting"]["content"]["text"]
    return "%s: %s, %d roots" % (
        answered(answers["user_name"], "name"),
        greeting,
        len(answers["client_roots"]["roots"]),
    )


async def input_required_result_multi_round(context):
    name = await context.elicit("Step 1: What is your name?", form("name"), key="step1")
    color = await context.elicit("Step 2: What is your favorite color?", form("color"), key="step2")
    return "%s likes %s" % (answered(name, "name"), answered(color, "color"))


async def input_required_result_capabilities(context):
    try:
        return await input_required_result_sampling(context)
    except CannotAsk:
        return await input_required_result_elicitation(context)


TOOLS = (
    (input_required_result_elicitation, "Ask the user's name."),
    (input_required_result_sampling, "Ask the model for a capital."),
    (input_required_result_list_roots, "Ask for the roots."),
    (input_required_result_request_state, "Ask to confirm."),
    (input_required_result_multiple_inputs, "Ask for three things at once."),
    (input_required_result_multi_round, "Ask twice."),
    (input_required_result_tampered_state, "Ask to confirm."),
    (input_required_result_capabilities, "Ask whom the client has."),
)
