import { PageHeader } from "../../parts/layout/page-header.tsx";
import { specTexts as texts } from "../../texts/translator/translator.ts";
import { translatorPaths } from "../translator-paths.ts";
import { SpecEditor } from "./spec-editor.tsx";
import { SpecLoaded } from "./spec-loaded.tsx";

export default function EditSpecPage() {
  return (
    <SpecLoaded>
      {({ kind, name, yaml }) => (
        <>
          <PageHeader
            title={texts.editTitle(name)}
            lead={texts.editLead}
            up={{ href: translatorPaths.spec(kind, name), label: name }}
          />
          <SpecEditor initial={yaml} />
        </>
      )}
    </SpecLoaded>
  );
}
