/** A program in C, imported `with { type: "text" }`. */
declare module "*.c" {
  const text: string;
  export = text;
}
