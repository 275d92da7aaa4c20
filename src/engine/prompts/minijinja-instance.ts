import { readFileSync } from "node:fs";
import * as glue from "minijinja-js/dist/bundler/minijinja_js_bg.js";
import wasmPath from "minijinja-js/dist/bundler/minijinja_js_bg.wasm" with { type: "file" };
import { type Filter, FilterFault, MissingRead } from "./filter-arguments.ts";
import { missingFilter } from "./guard-reads.ts";
import { jinjaFilters } from "./jinja-filters.ts";
import { limitWasmMemory } from "./limit-wasm-memory.ts";
import { pythonMethods } from "./python-methods.ts";

/** 32 MiB in pages of 64 KiB: what a template may hold while it renders; an allocation beyond it traps at once. */
const MEMORY_PAGES_MAX = 512;

/** Steps of one render, some fifty milliseconds of them; a long prompt takes a few thousand. */
const STEPS_MAX = 500_000;

/** One WebAssembly instance of minijinja with our filters. Whoever sees it trap must drop it. */
export interface MinijinjaInstance {
  add(id: string, source: string): void;
  remove(id: string): void;
  render(id: string, variables: Record<string, unknown>): string;
  /** What a filter of ours had to say when it failed the last call. */
  takeFilterFault(): string | undefined;
}

/** Compiles the library once per engine (some 30 ms), with its memory bounded. */
export function loadMinijinja(): WebAssembly.Module {
  return new WebAssembly.Module(limitWasmMemory(readFileSync(wasmPath), MEMORY_PAGES_MAX));
}

/**
 * The memory of the instance that the glue serves now: a mirror of the glue's own state, of which there is one per process.
 * The glue caches a view of that memory until the view is detached, which growing by nothing does.
 */
let announced: WebAssembly.Memory | undefined;

/** A fresh instance (half a millisecond). */
export function openMinijinja(module: WebAssembly.Module): MinijinjaInstance {
  const { exports } = new WebAssembly.Instance(module, { "./minijinja_js_bg.js": imports() });
  const memory = exports.memory as WebAssembly.Memory;
  let filterFault: string | undefined;

  const use = <T>(work: () => T): T => {
    if (announced !== memory) {
      announced?.grow(0);
      glue.__wbg_set_wasm(exports);
      announced = memory;
    }
    return work();
  };

  const guarded = (name: string, filter: Filter): Filter => {
    return (value, ...given) => {
      try {
        return filter(value, ...given);
      } catch (thrown) {
        // Throwing through the engine would kill the instance; a value it can't take stops it with the filter's line.
        filterFault = complaint(name, thrown);
        return Symbol(name);
      }
    };
  };

  const environment = use(() => {
    const made = new glue.Environment();
    // The glue would free a collected environment in whichever instance is then current: its memory goes with its own.
    made.__wbg_ptr = made.__destroy_into_raw();
    made.enablePyCompat();
    made.undefinedBehavior = "chainable";
    made.fuel = STEPS_MAX;
    made.debug = true; // errors carry columns; nothing of it is rendered
    made.removeGlobal("debug");
    const filters = { ...jinjaFilters, ...pythonMethods, [missingFilter]: failMissing };
    for (const [name, filter] of Object.entries(filters)) {
      made.addFilter(name, guarded(name, filter));
    }
    return made;
  });

  return {
    add: (id, source) => use(() => environment.addTemplate(id, source)),
    remove: (id) => use(() => environment.removeTemplate(id)),
    render: (id, variables) => use(() => environment.renderTemplate(id, variables)),
    takeFilterFault() {
      const fault = filterFault;
      filterFault = undefined;
      return fault;
    },
  };
}

function failMissing(name: unknown): never {
  throw new MissingRead(`${String(name)} is missing`);
}

function complaint(filter: string, thrown: unknown): string {
  if (thrown instanceof MissingRead) return thrown.message;
  return `${filter.replace("_py_", ".")} ${thrown instanceof FilterFault ? thrown.message : "failed"}`;
}

/** The glue's imports; a panic stays silent instead of printing to the console. */
function imports(): WebAssembly.ModuleImports {
  const entries = Object.entries(glue) as [string, WebAssembly.ImportValue][];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name.startsWith("__wbg_error_") ? () => {} : value]),
  );
}
