import { readFileSync } from "node:fs";
import * as glue from "minijinja-js/dist/bundler/minijinja_js_bg.js";
import wasmPath from "minijinja-js/dist/bundler/minijinja_js_bg.wasm" with { type: "file" };
import { type Filter, FilterFault, MissingRead } from "../jinja/filter-arguments.ts";
import { missingFilter } from "../jinja/guard-reads.ts";
import { jinjaFilters } from "../jinja/jinja-filters.ts";
import { pythonMethods } from "../jinja/python-methods.ts";
import { limitWasmMemory } from "./limit-wasm-memory.ts";

/** Memory limit of a render: 32 MiB in pages of 64 KiB. An allocation beyond it traps. */
const MEMORY_PAGES_MAX = 512;

/** Maximum steps of one render, about 50 ms; a long prompt takes a few thousand. */
const STEPS_MAX = 500_000;

/** A WebAssembly instance of minijinja with our filters. After a trap, the instance must be dropped. */
export interface MinijinjaInstance {
  add(id: string, source: string): void;
  remove(id: string): void;
  render(id: string, variables: Record<string, unknown>): string;
  /** Returns the message of a filter of ours that failed the last call. */
  takeFilterFault(): string | undefined;
}

/** Compiles the library with limited memory, once per engine (about 30 ms). */
export function loadMinijinja(): WebAssembly.Module {
  return new WebAssembly.Module(limitWasmMemory(readFileSync(wasmPath), MEMORY_PAGES_MAX));
}

/**
 * Memory of the instance that the glue currently uses; the glue has this state once per process. It caches a view of that memory until the
 * view is detached, which growing by 0 pages does.
 */
let announced: WebAssembly.Memory | undefined;

/** Creates a new instance (0.5 ms). */
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
        // An exception thrown through the engine would break the instance. A value it can't convert stops the render with the filter's
        // line.
        filterFault = complaint(name, thrown);
        return Symbol(name);
      }
    };
  };

  const environment = use(() => {
    const made = new glue.Environment();
    // The glue would free a garbage-collected environment in the instance that is current then. It is freed together with its own instance
    // instead.
    made.__wbg_ptr = made.__destroy_into_raw();
    made.enablePyCompat();
    made.undefinedBehavior = "chainable";
    made.fuel = STEPS_MAX;
    made.debug = true; // adds columns to errors; it is not rendered
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

/** The glue's imports. A panic prints nothing to the console. */
function imports(): WebAssembly.ModuleImports {
  const entries = Object.entries(glue) as [string, WebAssembly.ImportValue][];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name.startsWith("__wbg_error_") ? () => {} : value]),
  );
}
