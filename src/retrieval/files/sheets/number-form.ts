import { attr, childOf, childrenOf, type XmlNode } from "../../../kit/xml/xml-node.ts";

/** How a cell shows its number. */
export type NumberForm = "general" | "date" | "time" | "instant" | { percentPlaces: number } | NumberUnit;

/** A number with what stands before or after it, such as a currency, and its places. */
interface NumberUnit {
  before: string;
  after: string;
  places: number;
  /** Digits at least, as in postal codes. */
  digits: number;
}

/** Forms of the cell styles of a workbook, in their order. */
export function numberForms(styles: XmlNode | undefined): NumberForm[] {
  const codes = new Map<string, string>();
  for (const node of childrenOf(childOf(styles, "numFmts"), "numFmt"))
    codes.set(attr(node, "numFmtId") ?? "", attr(node, "formatCode") ?? "");
  return [...childrenOf(childOf(styles, "cellXfs"), "xf")].map((node) => {
    const id = attr(node, "numFmtId") ?? "0";
    return formOfCode(codes.get(id) ?? builtIn(Number(id)));
  });
}

function builtIn(id: number): string {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58)) return "yyyy-mm-dd";
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return "hh:mm";
  if (id === 22) return "yyyy-mm-dd hh:mm";
  return id === 9 ? "0%" : id === 10 ? "0.00%" : "General";
}

function formOfCode(code: string): NumberForm {
  const plain = code.replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, "").toLowerCase();
  if (plain.includes("%")) return { percentPlaces: /\.(0+)/.exec(plain)?.[1]?.length ?? 0 };
  const hasDay = /[yd]/.test(plain) || /m{3,}/.test(plain);
  const hasTime = /[hs]/.test(plain);
  if (plain === "general") return "general";
  if (!/^[^0#?]*$/.test(plain.replace(/\.0+/g, ""))) return unitOf(code);
  return hasDay && hasTime ? "instant" : hasDay ? "date" : hasTime ? "time" : "general";
}

const dayMs = 86_400_000;

/** Currencies, units and leading zeros of a number; `general` if there are none. */
function unitOf(code: string): NumberForm {
  const [positive = ""] = code.split(";");
  const written = positive
    .replace(/\[\$([^\]-]*)[^\]]*\]/g, (_, symbol: string) => `"${symbol}"`)
    .replace(/\[[^\]]*\]/g, "")
    .replace(/[_*]./g, " ")
    .replace(/\\(.)/g, '"$1"');
  const [, before = "", digits = "", after = ""] =
    /^((?:"[^"]*"|[^0#?"])*)([0#?][0#?,.]*)((?:"[^"]*"|[^0#?"])*)$/.exec(written) ?? [];
  const shown = (part: string) => part.replace(/["()]/g, "").replace(/\s+/g, " ").slice(0, 20);
  const [whole = "", fraction = ""] = digits.split(".");
  const unit = {
    before: shown(before).trimStart(),
    after: shown(after).trimEnd(),
    places: fraction.replace(/[^0]/g, "").length,
    digits: /^0+$/.test(whole) && fraction === "" ? whole.length : 1,
  };
  const isPlain = unit.before.trim() === "" && unit.after.trim() === "" && unit.digits === 1;
  return digits === "" || isPlain || /[,.]$/.test(digits) ? "general" : unit;
}

/** A number as people read it; dates in ISO form. */
export function showNumber(value: number, text: string, form: NumberForm, is1904: boolean): string {
  if (!Number.isFinite(value)) return text;
  if (typeof form === "object" && "before" in form) return withUnit(value, text, form);
  if (typeof form === "object") return `${(value * 100).toFixed(form.percentPlaces)}%`;
  if (form === "general") return text.length > 12 ? String(Number(value.toPrecision(15))) : text;
  // Excel counts a 29 February 1900 that never was.
  const days = is1904 ? value + 1462 : value < 60 ? value + 1 : value;
  const instant = new Date(Math.round(((days - 25_569) * dayMs) / 1000) * 1000);
  if (Number.isNaN(instant.getTime())) return text;
  const iso = instant.toISOString();
  const [date, time] = [iso.slice(0, 10), iso.slice(11, iso.endsWith(":00.000Z") ? 16 : 19)];
  return form === "time" ? time : form === "date" || time === "00:00" ? date : `${date} ${time}`;
}

/** Places are added as the cell shows them, and never taken away. */
function withUnit(value: number, text: string, { before, after, places, digits }: NumberUnit): string {
  const exact = (text.length > 12 ? String(Number(value.toPrecision(15))) : text).replace(/^-/, "");
  const isPlain = /^\d+(?:\.\d+)?$/.test(exact);
  const isShort = isPlain && (exact.split(".")[1]?.length ?? 0) < places;
  const number = isShort ? Math.abs(value).toFixed(places) : exact;
  return `${value < 0 ? "-" : ""}${before}${isPlain ? number.padStart(digits, "0") : number}${after}`;
}
