import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Message, ModelEvent, ModelRequest, ToolSpec } from "../../../../src/engine/models/model.ts";
import { createRehearsal } from "../../../../src/engine/models/providers/rehearsal/rehearsal.ts";
import { rehearse } from "../../../../src/engine/models/providers/rehearsal/rehearse.ts";
import { estimateTokens } from "../../../../src/engine/models/token-count.ts";
import { atOnce } from "../../../../src/kit/concurrency/others-turn.ts";
import { requestOf } from "../../../support/scripted-model.ts";

const rehearsed = (request: ModelRequest) => atOnce(rehearse(request));

const tool = (name: string, description: string, properties: object, required: string[] = []): ToolSpec => ({
  name,
  description,
  parameters: { type: "object", properties, required },
});
const text = (description = "") => ({ type: "string", description });

const tools = [
  tool("datetime_now", "The current date and time in a time zone.", {
    timezone: text("IANA time zone, for example Europe/Berlin"),
  }),
  tool(
    "json_transform",
    "Transforms data with a Jinja2 template that produces JSON.",
    { data: {}, template: text() },
    ["data", "template"],
  ),
  tool(
    "cache_store",
    "Keeps values for the session: get, set or delete by key.",
    { action: { type: "string", enum: ["get", "set", "delete"] }, key: text(), value: {} },
    ["action", "key"],
  ),
  tool(
    "http_request",
    "Sends an HTTP request and returns the response.",
    {
      method: { type: "string", enum: ["GET", "POST", "DELETE"] },
      url: text(),
      headers: { type: "object" },
      body: text(),
    },
    ["method", "url"],
  ),
  tool(
    "web_search",
    "Searches the web and returns titles, links and snippets.",
    { query: text(), max_results: { type: "integer" } },
    ["query"],
  ),
  tool(
    "encyclopedia",
    "Summaries of encyclopedia articles.",
    { topic: text(), language: { type: "string", default: "en" } },
    ["topic"],
  ),
  tool("send_email", "Sends an e-mail.", { to: text(), subject: text(), body: text() }, [
    "to",
    "subject",
    "body",
  ]),
  tool("sql_query", "Runs a read-only SQL query.", { query: text("SQL SELECT statement") }, ["query"]),
  tool("text_summarize", "Summarizes a long text.", { text: text() }, ["text"]),
  tool(
    "get_weather",
    "Weather forecast for a city.",
    { city: text(), unit: { type: "string", enum: ["celsius", "fahrenheit"] } },
    ["city"],
  ),
  tool("calculator", "Evaluates an arithmetic expression.", { expression: text() }, ["expression"]),
  tool(
    "convert_currency",
    "Converts an amount between currencies at today's exchange rate.",
    {
      amount: { type: "number" },
      from: { type: "string", enum: ["EUR", "GBP", "USD"] },
      to: { type: "string", enum: ["EUR", "GBP", "USD"] },
    },
    ["amount", "from", "to"],
  ),
  tool(
    "create_ticket",
    "Opens a support ticket.",
    { title: text(), priority: { type: "string", enum: ["low", "normal", "high"] } },
    ["title"],
  ),
  tool(
    "search_flights",
    "Finds flights between two cities.",
    { origin: text(), destination: text(), date: { type: "string", format: "date" } },
    ["origin", "destination"],
  ),
];

const callsFor = (query: string) =>
  rehearsed(requestOf(query, { tools })).calls.map((call) => [call.tool, call.input] as const);

describe("a query that asks for a tool", () => {
  const table: [query: string, ...calls: (readonly [tool: string, input: Record<string, unknown>])[]][] = [
    ["What time is it?", ["datetime_now", {}]],
    ["What time is it in Tokyo?", ["datetime_now", { timezone: "Asia/Tokyo" }]],
    ["what day is today", ["datetime_now", {}]],
    [
      "Could you tell me the current time in America/New_York please",
      ["datetime_now", { timezone: "America/New_York" }],
    ],
    ["¿Qué hora es en Madrid?", ["datetime_now", { timezone: "Europe/Madrid" }]],
    [
      "Time in Tokyo and Paris?",
      ["datetime_now", { timezone: "Asia/Tokyo" }],
      ["datetime_now", { timezone: "Europe/Paris" }],
    ],
    [
      "Get the time and the weather in Paris",
      ["get_weather", { city: "Paris" }],
      ["datetime_now", { timezone: "Europe/Paris" }],
    ],
    ["Is it going to rain in New York tomorrow?", ["get_weather", { city: "New York" }]],
    ["Weather in Rome in fahrenheit", ["get_weather", { city: "Rome", unit: "fahrenheit" }]],
    ["Search the web for ramen recipes", ["web_search", { query: "ramen recipes" }]],
    ["Who was Ada Lovelace? Look it up in the encyclopedia.", ["encyclopedia", { topic: "Ada Lovelace" }]],
    [
      "fetch https://example.com/a.json please",
      ["http_request", { url: "https://example.com/a.json", method: "GET" }],
    ],
    [
      "Send a DELETE request to https://example.com/1.",
      ["http_request", { url: "https://example.com/1", method: "DELETE" }],
    ],
    [
      'store "hello" under the key greeting',
      ["cache_store", { action: "set", key: "greeting", value: "hello" }],
    ],
    ["delete key lunch from the cache", ["cache_store", { action: "delete", key: "lunch" }]],
    ["what is 12 * (3 + 4)?", ["calculator", { expression: "12 * (3 + 4)" }]],
    ["convert 100 USD to EUR", ["convert_currency", { amount: 100, from: "USD", to: "EUR" }]],
    [
      "Open a ticket titled 'Printer broken' with high priority",
      ["create_ticket", { title: "Printer broken", priority: "high" }],
    ],
    [
      "find flights from Madrid to Buenos Aires on 2026-03-01",
      ["search_flights", { origin: "Madrid", destination: "Buenos Aires", date: "2026-03-01" }],
    ],
    ["run SELECT name FROM users", ["sql_query", { query: "SELECT name FROM users" }]],
    ["summarize this text: lorem ipsum dolor", ["text_summarize", { text: "lorem ipsum dolor" }]],
    [
      'Use json_transform with {"a": 1} and template "{{ data.a }}"',
      ["json_transform", { data: { a: 1 }, template: "{{ data.a }}" }],
    ],
    [
      "email bob@example.com about lunch",
      ["send_email", { to: "bob@example.com", subject: "lunch", body: "email bob@example.com about lunch" }],
    ],
  ];
  for (const [query, ...calls] of table) {
    test(query, () => {
      expect(callsFor(query)).toEqual(calls);
    });
  }
});

describe("small talk calls no tool", () => {
  test.each([
    "",
    "Hello!",
    "How are you today?",
    "Thanks, have a nice day",
    "I had a great time at the beach with my family",
    "Tell me a joke",
    "What is the capital of France?",
    "You are a good agent",
    "What tools do you have?",
    "See you next time!",
    "I live in Paris",
    "42",
    "東京は好きですか",
  ])("%p", (query) => {
    const { calls, text: said } = rehearsed(requestOf(query, { tools }));
    expect(calls).toEqual([]);
    expect(said).toContain("Rehearsal");
    expect(said).toContain("without a model");
  });
});

test("what a tool needs and the query does not say is asked for", () => {
  const { calls, text: said } = rehearsed(requestOf("What's the weather like?", { tools }));
  expect(calls).toEqual([]);
  expect(said).toContain("get_weather");
  expect(said).toContain("`city`");
});

test("no tool is called when tools are forbidden", () => {
  expect(rehearsed(requestOf("What time is it?", { tools, toolChoice: "none" })).calls).toEqual([]);
});

/** A turn after its tools have answered. */
function answered(...results: [name: string, content: string][]): ModelRequest {
  const messages: Message[] = [
    { role: "user", content: "What time is it in Tokyo?" },
    {
      role: "assistant",
      content: "",
      toolCalls: results.map(([name], at) => ({ id: `call_${at + 1}`, name, input: {} })),
    },
    ...results.map(
      ([name, content], at): Message => ({ role: "tool", callId: `call_${at + 1}`, name, content }),
    ),
  ];
  return requestOf("", { tools, messages });
}

describe("tool results", () => {
  const table: [name: string, request: ModelRequest, said: string][] = [
    [
      "fields become a sentence",
      answered([
        "datetime_now",
        '{"success":true,"data":{"datetime":"2026-01-01T09:00:00+09:00","timezone":"Asia/Tokyo","unix_timestamp":1}}',
      ]),
      "datetime_now answered: datetime is 2026-01-01T09:00:00+09:00, timezone is Asia/Tokyo and unix timestamp is 1.",
    ],
    [
      "a failure is reported as one",
      answered(["http_request", '{"success":false,"error":"The host is not allowed."}']),
      "http_request failed: The host is not allowed.",
    ],
    [
      "several are side by side",
      answered(["a", '{"success":true,"data":1}'], ["b", '{"success":false,"error":"no"}']),
      "a answered: 1. b failed: no.",
    ],
    ["plain text is kept", answered(["a", "It rains"]), "a answered: It rains."],
    ["nothing is said to be nothing", answered(["a", '{"success":true,"data":[]}']), "a found nothing."],
    [
      "lists are cut and say so",
      answered([
        "a",
        JSON.stringify({ success: true, data: [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, title: `t${id}` })) }),
      ]),
      "a answered: id is 1 and title is t1; id is 2 and title is t2; id is 3 and title is t3; id is 4 and title is t4; id is 5 and title is t5; and 2 more.",
    ],
  ];
  test.each(table)("%s", (_name, request, said) => {
    const { calls, text: answer } = rehearsed(request);
    expect(answer).toBe(`${said} (Rehearsal: put together by rules, without a model.)`);
    expect(calls).toEqual([]);
  });
});

describe("what was said before", () => {
  const history: Message[] = [
    { role: "user", content: "My favourite colour is teal." },
    { role: "assistant", content: "ok" },
    { role: "user", content: "I have two cats." },
    { role: "assistant", content: "ok" },
  ];
  const ask = (query: string, earlier = history) =>
    rehearsed(requestOf("", { tools, messages: [...earlier, { role: "user", content: query }] })).text;

  test.each([
    ["What is my favourite colour?", "My favourite colour is teal."],
    ["Do you remember what I said about cats?", "I have two cats."],
    ["What did I say earlier?", "I have two cats."],
    ["What was my last message?", "I have two cats."],
  ])("%s", (query, said) => {
    expect(ask(query)).toContain(`You said earlier: “${said}”`);
  });
  test("is nothing in a conversation that just began", () => {
    expect(ask("What did I say earlier?", [])).toContain("nothing earlier");
  });
  test("does not keep a tool from being called", () => {
    expect(ask("Before I leave, what time is it?")).toBe("");
  });
});

describe("a conversation that was handed over", () => {
  const messages: Message[] = [
    { role: "user", content: "What time is it in Lima?" },
    { role: "assistant", content: "", toolCalls: [{ id: "1", name: "clock_desk", input: {} }] },
    { role: "tool", callId: "1", name: "clock_desk", content: '{"handed_over_to":"keeper","note":"…"}' },
  ];

  test("uses the tools of the agent that has the conversation now, never a completed hand-off", () => {
    const back = tool("clock_desk", "Tells the time.", {});
    const { calls } = rehearsed({ ...requestOf(""), messages, tools: [back, ...tools] });
    expect(calls).toEqual([{ tool: "datetime_now", input: { timezone: "America/Lima" } }]);
  });

  test("ends with what they answered", () => {
    const answered: Message = { role: "tool", callId: "2", name: "datetime_now", content: '{"hour":7}' };
    const { text: said } = rehearsed({ ...requestOf(""), messages: [...messages, answered], tools });
    expect(said).toBe(
      "datetime_now answered: hour is 7. (Rehearsal: put together by rules, without a model.)",
    );
  });
});

test("what another rehearsal said is passed on without its note", () => {
  const { text: said } = rehearsed({
    ...requestOf(""),
    messages: [
      { role: "user", content: "hi" },
      { role: "tool", callId: "1", name: "desk", content: rehearsed(requestOf("hello")).text },
    ],
  });
  expect(said.match(/Rehearsal/g)).toHaveLength(1);
});

describe("as a model", () => {
  async function eventsOf(request: ModelRequest): Promise<ModelEvent[]> {
    const events: ModelEvent[] = [];
    for await (const event of createRehearsal().call(request, new AbortController().signal))
      events.push(event);
    return events;
  }

  test("is simulated, and streams word by word what it would say in one piece", async () => {
    expect(createRehearsal().simulated).toBe(true);
    const pieces = (await eventsOf(requestOf("Hello there"))).flatMap((event) =>
      event.type === "text" ? event.text : [],
    );
    const [whole] = await eventsOf(requestOf("Hello there", { stream: false }));
    expect(pieces.length).toBeGreaterThan(5);
    expect(whole).toEqual({ type: "text", text: pieces.join("") });
  });

  test("ends with an estimated usage", async () => {
    expect((await eventsOf(requestOf("What time is it?", { tools }))).at(-1)).toMatchObject({
      type: "end",
      finish: "tool_calls",
      usage: { estimated: true, cachedTokens: 0 },
    });
  });

  test.each([
    [{ max_tokens: 3 }, {}, "length", (text: string) => estimateTokens(text) <= 3],
    [{}, { answerTokensMax: 2 }, "length", (text: string) => estimateTokens(text) <= 2],
    [{ max_tokens: 50 }, { answerTokensMax: 2 }, "length", (text: string) => estimateTokens(text) <= 2],
    [{ max_tokens: 500 }, {}, "stop", (text: string) => text.includes("Hello there")],
    [{ stop: ["Hello"] }, {}, "stop", (text: string) => text.length > 0 && !text.includes("Hello")],
  ] as const)("keeps within %p %p: %s", async (parameters, fields, finish, holds) => {
    const request = requestOf("Hello there 🎉", fields);
    let text = "";
    for await (const event of createRehearsal("m", parameters).call(request, new AbortController().signal)) {
      if (event.type === "text") text += event.text;
      if (event.type === "end") expect(event.finish).toBe(finish);
    }
    expect(holds(text)).toBeTrue();
  });

  test("stops when the caller leaves", async () => {
    const leaving = new AbortController();
    const events = createRehearsal().call(requestOf("Hello there"), leaving.signal)[Symbol.asyncIterator]();
    await events.next();
    leaving.abort(new Error("gone"));
    await expect(events.next()).rejects.toThrow("gone");
  });

  test("gives calls ids that no earlier call of the conversation has", async () => {
    const earlier = answered(["datetime_now", "{}"]).messages;
    const request = requestOf("", {
      tools,
      messages: [...earlier, { role: "user", content: "Time in Tokyo and Paris?" }],
    });
    const ids = (await eventsOf(request)).flatMap((event) =>
      event.type === "tool_call" ? event.call.id : [],
    );
    expect(ids).toEqual(["call_2", "call_3"]);
  });
});

test("answers any input, always the same, and calls only known tools", () => {
  const schema = fc.oneof(
    fc.constantFrom("string", "number", "integer", "boolean", "array", "object").map((type) => ({ type })),
    fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 }) }),
    fc.jsonValue(),
  );
  const anyTool = fc.record({
    name: fc.stringMatching(/^[a-z_]{1,12}$/),
    description: fc.string(),
    parameters: fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(
        fc.constantFrom("url", "city", "to", "key", "query", "count", "(", "__proto__", "timezone"),
        schema,
      ),
      required: fc.array(fc.constantFrom("url", "city", "to", "key", "query", "count")),
    }),
  });
  const words = fc.array(
    fc.oneof(
      fc.constantFrom("time", "in", "Paris", "key", "{", '"', "and", "(", "12", "search"),
      fc.string(),
    ),
  );
  fc.assert(
    fc.property(words, fc.array(anyTool, { maxLength: 4 }), (query, offered) => {
      const request = requestOf(query.join(" "), { tools: offered });
      const first = rehearsed(request);
      expect(rehearsed(request)).toEqual(first);
      expect(first.text !== "" || first.calls.length > 0).toBe(true);
      const seen = new Set(first.calls.map((call) => JSON.stringify(call)));
      expect(seen.size).toBe(first.calls.length);
      for (const call of first.calls) expect(offered.map(({ name }) => name)).toContain(call.tool);
    }),
    { numRuns: 500 },
  );
});

describe("an instruction at the end of a message", () => {
  const told = (request: string, instruction: string, given: Partial<ModelRequest> = {}) =>
    rehearsed(requestOf(`${request}\n\n<instruction>\n${instruction}\n</instruction>`, { tools, ...given }));
  const note = "(Rehearsal: put together by rules, without a model.)";

  test("that ends with a JSON list gets such a list, of the parts of the request", () => {
    const instruction = 'Use no tool.\n{"steps": ["one", "two"]}';
    const { text: plan, calls } = told("Get the time in Lima, then say hello.", instruction);
    expect([plan, calls]).toEqual(['{"steps":["Get the time in Lima","say hello"]}', []]);
    expect(told("a, b, c, d, e, f", '{"parts": []}').text).toBe('{"parts":["a","b","c","d"]}');
    expect(told("", '{"parts": []}').text).toBe('{"parts":[]}');
  });

  test("with a task and tools has that task done, and no other", () => {
    const instruction = "With tools:\n<task>\nWhat time is it in Lima?\n</task>";
    const { calls } = told("What time is it in Lima and in Tokyo?", instruction);
    expect(calls).toEqual([{ tool: "datetime_now", input: { timezone: "America/Lima" } }]);
    expect(told("x", instruction, { toolChoice: "none" }).calls).toEqual([]);
  });

  test("that speaks of tools has the request done", () => {
    const { calls } = told("What time is it in Lima?", "Collect the facts with your tools.");
    expect(calls.map(({ tool: name }) => name)).toEqual(["datetime_now"]);
  });

  test("with results are returned as they are, also if they speak of tools", () => {
    const instruction = `Answer.\n<result part="1">\nNo tools. ${note}\n</result>\n\n<result part="2">\nB\n</result>\nNow.`;
    expect(told("What time is it?", instruction)).toEqual({ text: `No tools.\n\nB ${note}`, calls: [] });
  });

  test("without any of it has the request noted", () => {
    expect(told("Why?", "Think about it.").text).toBe(`The request is: “Why?”. ${note}`);
  });

  test.each(["<instruction>\nno end", "no blank line\n<instruction>\nx\n</instruction>", "a </instruction>"])(
    "is none when its form is another: %p",
    (message) => {
      expect(rehearsed(requestOf(message)).text).toStartWith("You said: ");
    },
  );
});

test("rehearses long work in pieces", () => {
  const many = Array.from({ length: 128 }, (_, n) =>
    tool(
      `search_${n}`,
      "Finds the orders of a city.",
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, text("the name of a city")])),
    ),
  );
  const earlier = Array.from(
    { length: 200 },
    (): Message => ({ role: "user", content: "some words ".repeat(400) }),
  );
  const pausesOf = (request: ModelRequest) => {
    const work = rehearse(request);
    let pauses = 0;
    while (work.next().done !== true) pauses++;
    return pauses;
  };
  expect(pausesOf(requestOf("1, ".repeat(80_000), { tools: many }))).toBeGreaterThan(10);
  const question: Message = { role: "user", content: "What did I say about words?" };
  expect(pausesOf(requestOf("", { tools, messages: [...earlier, question] }))).toBeGreaterThan(10);
});
