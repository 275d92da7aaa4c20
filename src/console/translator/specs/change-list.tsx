import type { ReactNode } from "react";
import type { ChangeAction, FieldChange, ResourceChange } from "../../../contracts/translator/reconcile.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { specPageTexts as texts } from "../../texts/translator/translator.ts";

export const actionTones: Readonly<Record<ChangeAction, Tone>> = {
  create: "good",
  update: "warn",
  delete: "bad",
};

/** Changes of resources, each with its fields as a diff. */
export function ChangeList({ label, changes }: { label: string; changes: readonly ResourceChange[] }) {
  return (
    <ul className="ar-tr-changes" aria-label={label}>
      {changes.map(({ action, resource, resource_type, fields }) => (
        <li key={`${action} ${resource_type} ${resource}`}>
          <ChangeTitle action={action} resource={resource} type={resource_type} />
          {fields.length > 0 && <FieldDiff fields={fields} />}
        </li>
      ))}
    </ul>
  );
}

interface ChangeTitleProps {
  action: ChangeAction;
  resource: string;
  type: string;
  children?: ReactNode;
}

/** The action on a resource, with its name and type. */
export function ChangeTitle({ action, resource, type, children }: ChangeTitleProps) {
  return (
    <div className="ar-tr-change">
      <StatusBadge tone={actionTones[action]}>{texts.actions[action]}</StatusBadge>
      <span className="ar-tn-strong ar-break">{resource}</span>
      <span className="ar-soft ar-mono ar-break">{type}</span>
      {children}
    </div>
  );
}

/** Removed values with a minus, added ones with a plus, as in a diff of texts. */
function FieldDiff({ fields }: { fields: readonly FieldChange[] }) {
  return (
    <div className="ar-tr-diff">
      {fields.map(({ path, before, after }) => (
        <div key={path}>
          {before !== undefined && <DiffLine sign="−" kind="del" path={path} value={before} />}
          {after !== undefined && <DiffLine sign="+" kind="ins" path={path} value={after} />}
        </div>
      ))}
    </div>
  );
}

interface DiffLineProps {
  sign: string;
  kind: "del" | "ins";
  path: string;
  value: unknown;
}

function DiffLine({ sign, kind: Kind, path, value }: DiffLineProps) {
  return (
    <Kind data-kind={Kind}>
      <span aria-hidden="true">{sign} </span>
      {path}: {typeof value === "string" ? value : JSON.stringify(value)}
    </Kind>
  );
}
