import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { refusalOf } from "../../../contracts/refusal.ts";
import type { SpecKind, SubmittedSpec } from "../../../contracts/translator/translation.ts";
import { usePathParts } from "../../parts/address/path-parts.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { useExisting } from "../../parts/states/use-existing.ts";
import { specTexts as texts } from "../../texts/translator/translator.ts";
import { translatorPaths } from "../translator-paths.ts";
import { useTranslator } from "../use-translator.ts";

/** Reads the manifest in the page's address. */
export function SpecLoaded({ children }: { children: (spec: SubmittedSpec) => ReactNode }) {
  const translator = useTranslator();
  const [, , kind = "", name = ""] = usePathParts();
  const query = useExisting(
    useQuery({
      queryKey: ["translator", "spec", kind, name],
      queryFn: () => translator.getSpec(kind as SpecKind, name),
    }),
  );
  if (query.data !== undefined) return children(query.data);
  const status = refusalOf(query.error)?.status;
  // 422: the address names an unknown kind.
  const isMissing = status === 404 || status === 422;
  return (
    <>
      <PageHeader title={name} up={{ href: translatorPaths.specs, label: texts.title }} />
      {isMissing ? <EmptyState text={texts.missing} /> : <Loaded query={query}>{children}</Loaded>}
    </>
  );
}
