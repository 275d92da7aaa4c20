import { Button, TagsInput, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { refusalOf } from "../../../contracts/refusal.ts";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { useSession } from "../../session/session.tsx";
import { accountTexts as texts } from "../../texts/gateway/accounts.ts";
import { partTexts } from "../../texts/parts.ts";
import { useGateway } from "../use-gateway.ts";

/** The websites that may show a chat, and the tag for their pages. */
export function WebchatSitePanel({ name }: { name: string }) {
  const gateway = useGateway();
  const query = useQuery({
    queryKey: ["gateway", "webchat-site", name],
    queryFn: () =>
      gateway.getWebchatSite(name).catch((thrown: unknown) => {
        if (refusalOf(thrown)?.status === 404) return { origins: [] };
        throw thrown;
      }),
  });
  const { home } = useSession().state;
  const address = home === "gateway" ? location.origin : texts.widgetAddress;
  const tag = `<script src="${address}/webchat/widget.js" data-account="${name}" async></script>`;
  return (
    <div className="ar-stack">
      <Text className="ar-soft">{texts.widget}</Text>
      <div className="ar-gw-copy">
        <code className="ar-mono ar-break">{tag}</code>
        <CopyButton value={tag} label={`${partTexts.copy}: ${texts.widgetTag}`} />
      </div>
      <Loaded query={query} rows={1}>
        {({ origins }) => <Origins key={origins.join(" ")} name={name} stored={origins} />}
      </Loaded>
    </div>
  );
}

function Origins({ name, stored }: { name: string; stored: readonly string[] }) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const [origins, setOrigins] = useState<string[]>([...stored]);
  const saving = useMutation({
    mutationFn: () => gateway.saveWebchatSite(name, { origins }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ["gateway", "webchat-site", name] });
      notify(texts.originsSaved);
    },
  });
  return (
    <>
      <TagsInput
        label={texts.origins}
        description={texts.originsHint}
        placeholder="https://shop.example"
        value={origins}
        onChange={setOrigins}
      />
      {saving.isError && <FailureView thrown={saving.error} />}
      <div>
        <Button
          size="xs"
          loading={saving.isPending}
          disabled={origins.join(" ") === stored.join(" ")}
          onClick={() => saving.mutate()}
        >
          {texts.saveOrigins}
        </Button>
      </div>
    </>
  );
}
