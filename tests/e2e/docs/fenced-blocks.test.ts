import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { forEachCommand } from "../../../src/cli/command-line.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { argosyCalls, blocksOf, type FencedBlock, nameOf, pages, root } from "../../docs/fenced-blocks.ts";
import { program } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { addDocuments, type FollowedWorkspace, followedWorkspace } from "./followed-workspace.ts";

const blocks = pages().flatMap((page) => blocksOf(page));
const named = (chosen: readonly FencedBlock[]) => chosen.map((block) => [nameOf(block), block] as const);
const isRun = ({ language, note }: FencedBlock) =>
  language === "console" || (language === "sh" && !note.startsWith("no-run"));

test("every block has a known kind", () => {
  const known = /^(sh|sh no-run: .{8,}|console|html|ts|json answer|text|yaml \S+)$/;
  const unknown = blocks.filter(({ language, note }) => !known.test(`${language} ${note}`.trim()));
  expect(named(unknown).map(([name]) => name)).toEqual([]);
});

test("few blocks are left unchecked", () => {
  const unchecked = blocks.filter(
    ({ language, note }) => note.startsWith("no-run") || (language === "text" && note === ""),
  );
  // To add an unchecked block, give a reason and update this number.
  expect(unchecked).toHaveLength(42);
  expect(blocks.filter(isRun).length).toBeGreaterThanOrEqual(15);
});

describe("YAML", () => {
  const fileNames: Readonly<Record<string, string>> = {
    agent: "example.agent.yaml",
    "rag-pipeline": "example.rag.yaml",
    "rag-eval": "example.rag-eval.yaml",
    eval: "example.eval.yaml",
  };
  const shown = blocks.filter(({ language }) => language === "yaml");
  const folderOf = (block: FencedBlock) => `blocks/${nameOf(block).replaceAll(/[/:.]/g, "-")}`;
  const folder = temporaryFolder();
  const problems = new Map<string, object[]>();

  beforeAll(async () => {
    for (const block of shown) {
      const place = join(folder.path, folderOf(block));
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, fileNames[block.note] ?? `${block.note}.yaml`), wholeFile(block));
    }
    // A pipeline that examples refer to.
    mkdirSync(join(folder.path, "rag"));
    writeFileSync(join(folder.path, "rag/handbook.rag.yaml"), `${pipelineHead("handbook")}spec: {}\n`);
    // A connection and a custom tool that examples use.
    writeFileSync(
      join(folder.path, "connections.yaml"),
      "connections: {erp: {base_url: https://erp.example.com}}\n",
    );
    mkdirSync(join(folder.path, "tools"));
    writeFileSync(
      join(folder.path, "tools/stock_level.ts"),
      'export default { name: "stock_level", description: "Units.", parameters: { type: "object" }, execute: () => 7 };\n',
    );
    const variables = [
      "CRM_TOKEN",
      "COHERE_API_KEY",
      "QDRANT_KEY",
      "ERP_TOKEN",
      "SHOP_KEY",
      "CARRIER_TOKEN",
      "ORDER_SECRET",
    ].map((name) => [name, "a-secret-of-yours"]);
    const child = Bun.spawn([...program, "validate", "blocks", "--json"], {
      cwd: folder.path,
      env: {
        HOME: folder.path,
        PLATFORM_AUTO_CONFIG: "false",
        ARGOSY_TRUST: "true",
        CHATS_URL: "redis://127.0.0.1:6379",
        ...Object.fromEntries(variables),
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { files } = JSON.parse(await new Response(child.stdout).text());
    for (const { file, problems: found } of files) problems.set(dirname(file), found.filter(isNoMissingFile));
  });
  afterAll(() => folder[Symbol.dispose]());

  test.each(named(shown))("%s is accepted", (_name, block) => {
    expect(problems.get(folderOf(block))).toEqual([]);
  });
});

/** Pages name models whose files their reader provides. */
const isNoMissingFile = ({ message }: { message: string }) => !message.includes(" has no model.onnx ");

const pipelineHead = (name: string) =>
  `apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: ${name}}\n`;

/** Completes a fragment, which begins at the root of its file: adds the omitted head, and a model for an agent. */
function wholeFile({ line, note, page, text }: FencedBlock): string {
  if (/^kind:/m.test(text)) return text;
  if (note === "rag-pipeline") return `${pipelineHead("example")}${text}`;
  if (note === "eval") return `apiVersion: platform/v1\nkind: Eval\nmetadata: {name: example}\n${text}`;
  if (note !== "agent") return text;
  const name = `${page.replaceAll(/[^a-z]/g, "-")}-${line}`;
  const model = "\n  model: {primary: {provider: rehearsal, model: rehearsal}}\n";
  const spec = /^ {2}model:/m.test(text) ? text : text.replace(/^spec:\n/m, `spec:${model}`);
  return `apiVersion: platform/v1\nkind: Agent\nmetadata: {name: ${name}}\n${spec}`;
}

describe("the command line", () => {
  const calling = blocks.flatMap((block) =>
    ["sh", "console"].includes(block.language)
      ? argosyCalls(block.text).map((call) => [nameOf(block), call] as const)
      : [],
  );
  test.each(calling)("%s: argosy %j is a call that it understands", async (_name, call) => {
    const program = createProgram(async () => {});
    forEachCommand(program, (command) => void command.exitOverride().configureOutput({ writeErr: () => {} }));
    await program.parseAsync(call, { from: "user" });
  });

  test("cli.md has a line for each command, and no other", () => {
    const page = readFileSync(join(root, "docs/cli.md"), "utf8");
    let group = "";
    const shown = page.split("\n").flatMap((line) => {
      if (line.startsWith("#")) group = /^### argosy (\S+)$/.exec(line)?.[1] ?? "";
      const call = /^- \*\*`([^`]+)`\*\*:/.exec(line)?.[1]?.split(/ [<[]/)[0];
      return call === undefined ? [] : [group === "" || group === call ? call : `${group} ${call}`];
    });
    const performed: string[] = [];
    const walk = (command: ReturnType<typeof createProgram>, name: string): void => {
      const isGroup =
        command.commands.length > 0 && command.options.length + command.registeredArguments.length === 0;
      if (!isGroup) performed.push(name);
      for (const inner of command.commands) walk(inner, `${name} ${inner.name()}`);
    };
    for (const command of createProgram(async () => {}).commands) walk(command, command.name());
    expect(shown.toSorted()).toEqual(performed.toSorted());
  });
});

describe("followed from the README on", () => {
  let machine: FollowedWorkspace;
  beforeAll(() => {
    machine = followedWorkspace();
  });
  afterAll(() => machine[Symbol.asyncDispose]());

  /** Starts runs that wait for a person; returns their ids, which replace `<id>`. */
  const waiting = async (agent: string, field: string, count: number): Promise<string[]> => {
    const ids: string[] = [];
    while (ids.length < count) {
      const query = "What time is it in Lima?";
      ids.push(String((await machine.ask("POST", `/v1/agents/${agent}/run`, { query }))[field]));
    }
    return ids;
  };
  const agentOn = (name: string, tool: string) =>
    machine.ask("POST", "/v1/agents", {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name },
      spec: { model: { primary: { provider: "rehearsal", model: "rehearsal" } }, tools: [JSON.parse(tool)] },
    });
  /** Prerequisites of a page; the returned ids replace `<id>`, one after the other. */
  const staged: Readonly<Record<string, () => Promise<string[]>>> = {
    "docs/a2a.md": async () => {
      await machine.ask("POST", "/v1/agents", {
        apiVersion: "platform/v1",
        kind: "Agent",
        metadata: { name: "desk" },
        spec: { model: { primary: { provider: "rehearsal", model: "rehearsal" } }, a2a: { enabled: true } },
      });
      return [];
    },
    "docs/approvals.md": async () => {
      await agentOn("clerk", '{"name": "datetime_now", "type": "builtin", "requires_approval": true}');
      return waiting("clerk", "approval_id", 2);
    },
    "docs/client-tools.md": async () => {
      const properties = '{"timezone": {"type": "string"}}';
      await agentOn(
        "guide",
        `{"name": "time_now", "type": "client", "description": "The time in a place.", "parameters": {"type": "object", "properties": ${properties}}}`,
      );
      return waiting("guide", "call_id", 3);
    },
    "docs/memory.md": async () => {
      const body = { query: "Hello", session_id: "5215550002222" };
      await machine.ask("POST", "/v1/agents/support/run", body);
      return [];
    },
    "docs/rag.md": async () => {
      expect(await machine.follow("argosy rag sync handbook")).toMatchObject({ code: 0 });
      return [];
    },
  };

  const stagedIds = new Map<string, string[]>();
  const idsOf = async (page: string): Promise<string[]> => {
    const known = stagedIds.get(page) ?? (await staged[page]?.()) ?? [];
    stagedIds.set(page, known);
    return known;
  };
  const manifests = blocks.filter(({ page, note }) => page === "README.md" && note === "agent");
  const answers = new Map(
    blocks.flatMap((block, index) => {
      const next = blocks[index + 1];
      return next?.language === "json" && next.page === block.page ? [[block, next] as const] : [];
    }),
  );

  test.each(named(blocks.filter(isRun)))("%s does what it says", async (_name, block) => {
    const isStarted = block.page !== "README.md" || !block.text.includes("argosy init");
    if (isStarted) await machine.serve();
    const ids = await idsOf(block.page);
    const { script, output } = parted(block);
    // The page's figures cover only the documents, without those that other blocks of the page add.
    if (script.includes("rag eval")) await machine.ask("DELETE", "/v1/rag/collections/handbook");
    const followed = await machine.follow(script.replaceAll("<id>", () => ids.shift() ?? "<id>"));
    expect(followed).toMatchObject({ code: 0 });
    if (block.language === "console")
      expect([followed.stdout, output]).toSatisfy(([seen = "", shown = ""]) => alike(seen, shown));
    const answer = answers.get(block);
    if (answer !== undefined)
      expect(shortened(JSON.parse(lastLine(followed.stdout)), JSON.parse(answer.text))).toEqual(
        JSON.parse(answer.text),
      );
    // The README tells its reader to save the agent that it shows.
    if (!isStarted) {
      for (const { text } of manifests)
        writeFileSync(join(machine.workspace, "agents/support.agent.yaml"), text);
      addDocuments(machine.workspace);
    }
  });
});

/** Splits a block: in a `console` block, commands follow `$`, and the rest is their expected output. */
function parted({ language, text }: FencedBlock): { script: string; output: string } {
  if (language !== "console") return { script: text, output: "" };
  const lines = text.trimEnd().split("\n");
  return {
    script: lines.flatMap((line) => (line.startsWith("$ ") ? line.slice(2) : [])).join("\n"),
    output: lines.filter((line) => !line.startsWith("$ ")).join("\n"),
  };
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

/** Returns true if an output ends with the text on a page; `…` matches any characters, and figures may differ slightly. */
function alike(output: string, shown: string): boolean {
  const figures = (text: string) => [...text.matchAll(/\b0\.\d{3}\b/g)].map(([figure]) => Number(figure));
  const pattern = shown
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("\\S*")
    .replaceAll(/\b0\\\.\d{3}\b/g, "0\\.\\d{3}")
    .replaceAll("127\\.0\\.0\\.1:8000", "127\\.0\\.0\\.1:\\d+")
    .replaceAll(/\b\d+ of 66\b/g, "\\d+ of 66");
  if (!new RegExp(`${pattern}\\s*$`).test(output)) return false;
  const seen = figures(output);
  return figures(shown).every((figure, index) => Math.abs(figure - (seen[index] ?? 9)) < 0.05);
}

/** Cuts the long texts of an answer like those on the page, and rounds its figures like the page's. */
function shortened(value: unknown, shown: unknown): unknown {
  if (typeof value === "string" && typeof shown === "string" && shown.endsWith("…"))
    return value.startsWith(shown.slice(0, -1)) ? shown : value;
  if (typeof value === "number" && typeof shown === "number") {
    const digits = String(shown).split(".")[1]?.length ?? 0;
    return Number(value.toFixed(digits));
  }
  if (Array.isArray(value) && Array.isArray(shown))
    return value.map((item, index) => shortened(item, shown[index]));
  if (typeof value !== "object" || value === null || typeof shown !== "object" || shown === null)
    return value;
  const known = shown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, known[key])]));
}

describe("TypeScript", () => {
  const shown = blocks.filter(({ language }) => language === "ts");
  const fileOf = (block: FencedBlock) => `${nameOf(block).replaceAll(/[/:.]/g, "-")}.ts`;
  let said = "";

  // One compiler for all: it needs two seconds before it reads the first file.
  beforeAll(() => {
    using folder = temporaryFolder();
    const packages = shown.flatMap(({ text }) =>
      [...text.matchAll(/from "([^".][^"]*)"/g)].map(([, name]) => name),
    );
    // Packages of the reader's own are not installed here, so their types are not checked.
    writeFileSync(
      join(folder.path, "packages.d.ts"),
      [...new Set(packages)].map((name) => `declare module "${name}";\n`).join(""),
    );
    for (const block of shown) writeFileSync(join(folder.path, fileOf(block)), block.text);
    const options =
      "--noEmit --strict --pretty false --target esnext --module preserve --moduleDetection force --lib esnext,dom";
    const files = [...shown.map(fileOf), "packages.d.ts"];
    const checked = Bun.spawnSync([join(root, "node_modules/.bin/tsc"), ...options.split(" "), ...files], {
      cwd: folder.path,
      stdout: "pipe",
    });
    said = checked.stdout.toString();
    if (checked.exitCode !== 0 && said === "") throw new Error(checked.stderr.toString());
  });

  test.each(named(shown))("%s type-checks", (_name, block) => {
    expect(said.split("\n").filter((line) => line.startsWith(`${fileOf(block)}(`))).toEqual([]);
  });

  test("the compiler finds no other fault", () => {
    expect(
      said
        .split("\n")
        .filter((line) => line !== "" && !shown.some((block) => line.startsWith(`${fileOf(block)}(`))),
    ).toEqual([]);
  });
});
