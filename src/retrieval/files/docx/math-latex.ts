import { normalized } from "../../../kit/text/normalize.ts";
import { attr, childOf, childrenOf, textOf, type XmlNode } from "../../../kit/xml/xml-node.ts";

/** Returns an equation of OMML as LaTeX. */
export function latexOf(node: XmlNode | undefined): string {
  let text = "";
  for (const child of childrenOf(node)) {
    const next = pieceOf(child);
    // A command must not run into a letter.
    text += /\\[a-z]+$/i.test(text) && /^[a-z]/i.test(next) ? ` ${next}` : next;
  }
  return text;
}

/** A list of equations below each other. */
export const latexOfParagraph = (node: XmlNode): string =>
  [...childrenOf(node, "oMath")]
    .map(latexOf)
    .filter((line) => line !== "")
    .join("\n");

function pieceOf(node: XmlNode): string {
  const part = (name: string) => latexOf(childOf(node, name));
  const property = (...names: string[]) => attr(childOf(node, `${node.name}Pr`, ...names), "val");
  switch (node.name) {
    case "r":
      return [...childrenOf(node, "t")].map((text) => symbols(textOf(text))).join("");
    case "f":
      return property("type") === "lin"
        ? `${part("num")}/${part("den")}`
        : `${property("type") === "noBar" ? "\\binom" : "\\frac"}{${part("num")}}{${part("den")}}`;
    case "sSup":
      return `${base(node)}^{${part("sup")}}`;
    case "sSub":
      return `${base(node)}_{${part("sub")}}`;
    case "sSubSup":
      return `${base(node)}_{${part("sub")}}^{${part("sup")}}`;
    case "sPre":
      return `{}_{${part("sub")}}^{${part("sup")}}${base(node)}`;
    case "rad":
      return part("deg") === "" ? `\\sqrt{${part("e")}}` : `\\sqrt[${part("deg")}]{${part("e")}}`;
    case "nary": {
      const sign = symbols(property("chr") ?? "∫");
      const sub = part("sub");
      const sup = part("sup");
      return `${sign}${sub === "" ? "" : `_{${sub}}`}${sup === "" ? "" : `^{${sup}}`} ${part("e")}`;
    }
    case "d": {
      const parts = [...childrenOf(node, "e")].map(latexOf);
      return `${fence("\\left", property("begChr") ?? "(")}${parts.join(symbols(property("sepChr") ?? "|"))}${fence("\\right", property("endChr") ?? ")")}`;
    }
    case "func":
      return `${functionName(part("fName"))} ${part("e")}`;
    case "limLow":
      return `${functionName(part("e"))}_{${part("lim")}}`;
    case "limUpp":
      return `${functionName(part("e"))}^{${part("lim")}}`;
    case "acc":
      return `${accents.get(property("chr") ?? "\u0302") ?? "\\hat"}{${part("e")}}`;
    case "bar":
      return `${property("pos") === "top" ? "\\overline" : "\\underline"}{${part("e")}}`;
    case "groupChr":
      return `${property("pos") === "top" ? "\\overbrace" : "\\underbrace"}{${part("e")}}`;
    case "m":
      return `\\begin{matrix}${[...childrenOf(node, "mr")].map((row) => [...childrenOf(row, "e")].map(latexOf).join(" & ")).join(" \\\\ ")}\\end{matrix}`;
    case "eqArr":
      return `\\begin{aligned}${[...childrenOf(node, "e")].map(latexOf).join(" \\\\ ")}\\end{aligned}`;
    case "del":
    case "moveFrom":
      return "";
    default:
      return node.name.endsWith("Pr") ? "" : latexOf(node);
  }
}

/** The base of an accent or index, in braces if it is more than one sign. */
function base(node: XmlNode): string {
  const text = latexOf(childOf(node, "e"));
  return [...text].length === 1 || /^\\[a-z]+$/i.test(text) ? text : `{${text}}`;
}

function fence(side: string, sign: string): string {
  if ((sign === "(" || sign === ")" || sign === "[" || sign === "]") && side !== "") return sign;
  if (sign === "") return `${side}.`;
  return `${side}${sign === "{" || sign === "}" ? `\\${sign}` : symbols(sign)}`;
}

const functions =
  /^(?:arccos|arcsin|arctan|cos|cosh|cot|det|exp|gcd|inf|lim|ln|log|max|min|sec|sin|sinh|sup|tan|tanh)$/;

const functionName = (name: string) => (functions.test(name) ? `\\${name}` : name);

const accents: ReadonlyMap<string, string> = new Map([
  ["\u0302", "\\hat"],
  ["\u0303", "\\tilde"],
  ["\u0304", "\\bar"],
  ["\u0305", "\\overline"],
  ["\u0307", "\\dot"],
  ["\u0308", "\\ddot"],
  ["\u20d7", "\\vec"],
  ["^", "\\hat"],
  ["~", "\\tilde"],
  ["¯", "\\bar"],
]);

const commands: ReadonlyMap<string, string> = new Map(
  (
    "α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ phi χ chi ψ psi ω omega " +
    "Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Φ Phi Ψ Psi Ω Omega " +
    "∑ sum ∏ prod ∫ int ∬ iint ∮ oint √ sqrt ∞ infty ± pm ∓ mp × times ÷ div ⋅ cdot ≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ∈ in ∉ notin ⊂ subset ⊆ subseteq ∪ cup ∩ cap ∅ emptyset ∀ forall ∃ exists ∂ partial ∇ nabla → to ⇒ Rightarrow ⇔ Leftrightarrow ∝ propto ¬ neg ∧ wedge ∨ vee … ldots ∥ parallel ⟂ perp"
  )
    .split(" ")
    .reduce<[string, string][]>((pairs, word, index, words) => {
      if (index % 2 === 0) pairs.push([word, `\\${words[index + 1]}`]);
      return pairs;
    }, []),
);

/** Signs as commands, letters of the mathematical alphabets as plain ones. */
function symbols(text: string): string {
  let made = "";
  for (const sign of text) {
    const plain = normalized(sign, "NFKC");
    const command = commands.get(sign) ?? commands.get(plain);
    const next = command ?? (sign === "−" ? "-" : plain);
    made += /\\[a-z]+$/i.test(made) && /^[a-z]/i.test(next) ? ` ${next}` : next;
  }
  return made;
}
