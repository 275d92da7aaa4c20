/** The folders of src that each folder may import, besides itself. ARCHITECTURE.md has the reasons. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  contracts: ["kit"],
  manifest: ["kit"],
  storage: ["kit", "contracts"],
  channels: ["kit", "contracts", "storage"],
  mesh: ["kit", "contracts"],
  http: ["kit", "contracts"],
  onnx: ["kit"],
  retrieval: ["kit", "contracts", "manifest", "onnx"],
  engine: ["kit", "contracts", "manifest", "onnx", "retrieval"],
  // What an answer is worth: checks, runs and reports. A run is a function that its caller hands over. Two services store evals and page them.
  evals: ["kit", "contracts", "manifest", "storage", "http", "engine", "retrieval"],
  // What files declare against what there is: the plan, its application and the drift.
  declared: ["kit", "contracts", "manifest", "engine"],
  // What the services with accounts share: following runs of the runtime, sessions, keys, members, the audit and their evals' routes.
  "control-plane": ["kit", "contracts", "manifest", "storage", "http", "evals"],
  services: [
    "kit",
    "contracts",
    "manifest",
    "storage",
    "channels",
    "mesh",
    "http",
    "onnx",
    "retrieval",
    "engine",
    "evals",
    "declared",
    "control-plane",
  ],
  // The command line's own process: files, editors, installation, backups, and reaching a running server.
  command: [
    "kit",
    "contracts",
    "manifest",
    "storage",
    "mesh",
    "http",
    "retrieval",
    "engine",
    "evals",
    "declared",
    "services",
    "compose",
  ],
  console: ["contracts", "manifest"],
  desktop: ["contracts", "manifest"],
  // Pages of other sites load it, so each kilobyte counts: of contracts it has types alone.
  widget: ["contracts"],
  cli: ["kit", "contracts", "manifest", "declared", "compose", "command"],
  "main.ts": ["kit", "cli", "compose"],
  // From source, a helper process starts here and loads its own part, without the rest of the program.
  "helper.ts": ["compose"],
};

/** Folders whose code also runs in a browser, with all its imports. */
export const browserFolders: ReadonlySet<string> = new Set(["contracts", "manifest", "console", "widget"]);

/** The file that imports the user's code, which no bundle can contain. It runs only in the child process of custom tools. */
export const importsUsersCode = "src/engine/tools/own/load-own-tool.ts";

/** Arrows that may still stand, by area, noun and the nouns it imports. */
export type ToleratedArrows = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/**
 * Arrows between nouns that still make circles or reach for a whole service. The list only shrinks: the check refuses a row that nothing
 * needs any more.
 */
export const toleratedArrows: ToleratedArrows = {
  "src/services/console": {
    forward: ["deps.ts"],
    page: ["app.ts"],
    sessions: ["deps.ts", "forward"],
  },
};

/** Why `compose`, which may import everything below it, may not import what lies above it. */
const aboveCompose: ReadonlyMap<string, string> = new Map([
  ["main.ts", "nothing imports main.ts"],
  ["helper.ts", "nothing imports helper.ts"],
  ["command", "compose may not import command: what a server needs too belongs to the noun that it is about"],
  ["cli", "compose may not import cli: it knows nothing of the command line"],
]);

/** Returns the folder in the table of a path: `src/kit/id.ts` is in kit; undefined outside src and desktop. */
export function folderOf(path: string): string | undefined {
  const [top, folder] = path.split("/");
  return top === "desktop" ? "desktop" : top === "src" ? folder : undefined;
}

/** Returns why `from` must not import `to` (paths from the root), as text; undefined if it may. */
export function refusal(from: string, to: string): string | undefined {
  const importer = folderOf(from);
  const target = folderOf(to);
  if (importer === undefined) return undefined;
  if (target === undefined)
    return to.endsWith(".ts") && !to.startsWith("migrations/")
      ? `${importer} imports ${to}: the program imports no code from outside src`
      : undefined;
  if (importer === "compose") return aboveCompose.get(target);

  const allowed = mayImport[importer];
  if (!allowed)
    return `src/${importer} stands in no row of the import table (scripts/imports/import-table.ts): put the file where it belongs, or add the row and its reason`;
  if (importer === "services" && target === "services") return betweenServices(from, to);
  if (importer === target || allowed.includes(target)) return undefined;
  return allowed.length === 0
    ? `${importer} may import nothing of ours, not ${target}`
    : `${importer} may import ${listed(allowed)}, not ${target}`;
}

function betweenServices(from: string, to: string): string | undefined {
  const [, , importer, inImporter] = from.split("/");
  const [, , target, inTarget] = to.split("/");
  if (inImporter === undefined || inTarget === undefined)
    return "a file directly under src/services belongs to no service: put it in a service's folder, in http or in kit";
  return importer === target
    ? undefined
    : `service ${importer} may not import service ${target}: services talk through contracts (contracts/${target}/client.ts)`;
}

const listed = (names: readonly string[]) =>
  names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
