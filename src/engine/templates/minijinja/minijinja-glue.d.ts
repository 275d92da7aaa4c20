// The library has no types for the glue of its bundler build, the only build whose WebAssembly instance can be replaced.
declare module "minijinja-js/dist/bundler/minijinja_js_bg.js" {
  /** A minijinja environment. Its methods may throw anything; after a trap the instance is unusable. */
  export class Environment {
    __wbg_ptr: number;
    __destroy_into_raw(): number;
    addTemplate(name: string, source: string): void;
    removeTemplate(name: string): void;
    renderTemplate(name: string, variables: unknown): string;
    addFilter(name: string, filter: (...values: never[]) => unknown): void;
    removeGlobal(name: string): void;
    enablePyCompat(): void;
    debug: boolean;
    undefinedBehavior: "strict" | "chainable" | "lenient";
    fuel: number | null | undefined;
  }
  export function __wbg_set_wasm(exports: WebAssembly.Exports): void;
}

// The library describes the exports of this file; imported with `{ type: "file" }` it is a path.
declare module "minijinja-js/dist/bundler/minijinja_js_bg.wasm" {
  const path: string;
  export default path;
}
