import type { ContextPart } from "../../../../contracts/daemon/memory/context-window.ts";
import { formatNumber, formatPercent } from "../../../parts/text/format.ts";
import { contextTexts as texts } from "../../../texts/studio/resources.ts";
import type { ContextGroup } from "./context-shares.ts";

/** One bar for all used tokens, then each group with its parts. */
export function ContextGroups({ groups }: { groups: readonly ContextGroup[] }) {
  const summary = groups.map(({ name, share }) => `${texts.groups[name]} ${formatPercent(share)}`).join(", ");
  return (
    <>
      <div className="ar-context-bar" role="img" aria-label={`${texts.chart}: ${summary}`}>
        {groups.map(({ name, tokens }) => (
          <span key={name} data-group={name} style={{ flexGrow: tokens }} />
        ))}
      </div>
      <div className="ar-context-groups">
        {groups.map((group) => (
          <details key={group.name}>
            <summary>
              <span className="ar-context-mark" data-group={group.name} />
              <span>
                {texts.groups[group.name]}
                {group.parts.length > 1 && (
                  <span className="ar-soft"> × {formatNumber(group.parts.length)}</span>
                )}
              </span>
              <span>
                {formatNumber(group.tokens)} {texts.tokens}
              </span>
              <span className="ar-context-share">{formatPercent(group.share)}</span>
            </summary>
            {group.parts.map((part, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts have nothing that names them, and keep their order
              <PartView key={at} part={part} />
            ))}
          </details>
        ))}
      </div>
    </>
  );
}

function PartView({ part: { kind, role, name, text, characters, tokens, within } }: { part: ContextPart }) {
  const shown = [...text].length;
  const facts = [
    name ?? texts.kinds[kind],
    ...(kind === "turn" ? [role] : []),
    `${formatNumber(tokens)} ${texts.tokens}`,
    ...(within === undefined ? [] : [texts.within]),
    ...(shown < characters ? [texts.cut(formatNumber(shown), formatNumber(characters))] : []),
  ];
  return (
    <div className="ar-context-part">
      <div className="ar-soft">{facts.join(" · ")}</div>
      <div className="ar-break ar-context-text">{text}</div>
    </div>
  );
}
