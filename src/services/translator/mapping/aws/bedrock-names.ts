import { checksumOf } from "../../../../kit/json/canonical-json.ts";

/*
 * Names as the APIs accept them. A name that has to be changed gets a hash of the whole, so that two manifests never share a resource.
 */

const hashChars = 8;

const hashed = (name: string, plain: string, charsMax: number) =>
  `${plain.slice(0, charsMax - hashChars - 1).replace(/[-_.]+$/, "")}-${checksumOf(name).slice(0, hashChars)}`;

/** A name of at most `charsMax` characters. */
export const shortName = (name: string, charsMax: number): string =>
  name.length <= charsMax ? name : hashed(name, name, charsMax);

/** A name of an agent, an alias or a knowledge base: letters and digits, at most one `-` or `_` after each. */
export const bedrockName = (name: string): string =>
  /^(?:[0-9a-zA-Z][_-]?){1,100}$/.test(name)
    ? name
    : hashed(name, name.replaceAll(/[^0-9a-zA-Z]+/g, "-").replace(/^-/, ""), 100);
