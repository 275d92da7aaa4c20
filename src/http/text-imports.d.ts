/** Files that Bun embeds as their text: `import text from "./page.eta" with { type: "text" }`. */
declare module "*.eta" {
  const text: string;
  export = text;
}

declare module "*.css" {
  const text: string;
  export = text;
}

declare module "*.svg" {
  const text: string;
  export = text;
}

declare module "*.yaml" {
  const text: string;
  export = text;
}
