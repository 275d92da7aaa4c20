import { useQuery } from "@tanstack/react-query";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { specTexts as texts } from "../../texts/translator/translator.ts";
import { translatorPaths } from "../translator-paths.ts";
import { useTranslator } from "../use-translator.ts";
import { SpecEditor } from "./spec-editor.tsx";
import { SpecLoaded } from "./spec-loaded.tsx";

export default function EditSpecPage() {
  return (
    <SpecLoaded>
      {({ kind, name }) => (
        <>
          <PageHeader
            title={texts.editTitle(name)}
            lead={texts.editLead}
            up={{ href: translatorPaths.spec(kind, name), label: name }}
          />
          <StoredSpec key={`${kind} ${name}`} kind={kind} name={name} />
        </>
      )}
    </SpecLoaded>
  );
}

/** The editor of the manifest as it was when the page opened. */
function StoredSpec({ kind, name }: SpecReference) {
  const translator = useTranslator();
  const query = useQuery({
    queryKey: ["translator", "spec to edit", kind, name],
    queryFn: () => translator.readSpec(kind, name),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={query}>{(stored) => <SpecEditor initial={stored.value.yaml} stored={stored} />}</Loaded>
  );
}
