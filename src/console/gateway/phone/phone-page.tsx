import { Button, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import { channelNames } from "../../../contracts/gateway/channels.ts";
import { useUrlFields } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { channelTexts } from "../../texts/gateway/gateway.ts";
import { phoneTexts as texts } from "../../texts/gateway/phone.ts";
import { useSetup } from "../accounts/use-setup.ts";
import { useFollow } from "../follow-gateway.ts";
import { LiveMark } from "../live-mark.tsx";
import { useDirectory } from "../use-directory.ts";
import { PhoneView } from "./phone-view.tsx";
import { PipelineView } from "./pipeline-view.tsx";
import { SetUpDialog } from "./set-up-dialog.tsx";

/** The emulated phone, and beside it the steps of the message that it sent. */
export default function PhonePage() {
  const setup = useSetup();
  const queries = useQueryClient();
  const live = useFollow((events) => {
    if (events.some(({ about }) => about === "stream")) {
      return queries.invalidateQueries({ queryKey: ["gateway"] });
    }
    const keys = ["trail", "thread", "phone"];
    return Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: ["gateway", key] })));
  });
  const directory = useDirectory();
  const [begun, begin] = useUrlFields(["tenant", "agent"]);
  const [isAsked, ask] = useState(false);
  const isSettingUp = isAsked || begun.tenant !== "";
  const hasPhones = directory.data?.entries.some(({ account }) => account.emulated);
  const setUp = () => ask(true);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} mark={<LiveMark state={live} />}>
        {setup.data?.emulator && hasPhones && (
          <Button variant="default" onClick={setUp}>
            {texts.setUp}
          </Button>
        )}
      </PageHeader>
      <Loaded query={setup}>
        {({ emulator }) =>
          emulator ? <Phones setUp={setUp} /> : <EmptyState title={texts.offTitle} text={texts.off} />
        }
      </Loaded>
      {isSettingUp && setup.data?.emulator && (
        <SetUpDialog
          begun={begun}
          close={() => {
            ask(false);
            begin({ tenant: "", agent: "" });
          }}
        />
      )}
    </>
  );
}

function Phones({ setUp }: { setUp: () => void }) {
  const directory = useDirectory();
  return (
    <Loaded query={directory}>
      {({ entries }) => {
        const emulated = entries
          .map(({ account }) => account)
          .filter((account) => account.emulated)
          .sort((a, b) => channelNames.indexOf(a.channel) - channelNames.indexOf(b.channel));
        const [first] = emulated;
        return first === undefined ? (
          <EmptyState title={texts.noneTitle} text={texts.none}>
            <Button onClick={setUp}>{texts.setUp}</Button>
          </EmptyState>
        ) : (
          <PhoneWithPipeline accounts={emulated} first={first} />
        );
      }}
    </Loaded>
  );
}

const people = {
  phone_messenger: "5215550001234",
  bot_messenger: "700123",
  photo_social: "igsid-4711",
  webchat: "visitor-1",
  echo: "ana",
};

function PhoneWithPipeline({ accounts, first }: { accounts: readonly Account[]; first: Account }) {
  const [fields, setFields] = useUrlFields(["account", "from", "name", "message"]);
  const account = accounts.find(({ id }) => id === fields.account) ?? first;
  const from = fields.from === "" ? people[account.channel] : fields.from;
  const change = (id: string | null) => setFields({ account: id ?? "", from: "", message: "" });
  // A channel has a tab if it has one account; otherwise the accounts are chosen by name.
  const hasTabs =
    accounts.length <= 5 && new Set(accounts.map(({ channel }) => channel)).size === accounts.length;
  const named = accounts.map(({ id, channel, external_id }) => ({
    value: id,
    label: hasTabs ? channelTexts[channel] : `${channelTexts[channel]} ${external_id}`,
  }));
  return (
    <>
      <div className="ar-gw-filters ar-phone-who">
        {hasTabs ? (
          <SegmentedControl
            size="xs"
            className="ar-gw-views"
            aria-label={texts.account}
            value={account.id}
            data={named}
            onChange={change}
          />
        ) : (
          <Select
            aria-label={texts.account}
            allowDeselect={false}
            searchable
            data={named}
            value={account.id}
            onChange={change}
          />
        )}
        <Field
          label={texts.address}
          value={from}
          change={(value) => setFields({ from: value, message: "" })}
        />
        <Field label={texts.name} value={fields.name} change={(value) => setFields({ name: value })} />
      </div>
      <div className="ar-phone-page">
        <PhoneView
          key={`${account.id} ${from}`}
          account={account}
          from={from}
          name={fields.name}
          chosen={fields.message}
          choose={(message) => setFields({ message })}
        />
        <PipelineView id={fields.message} channel={account.channel} />
      </div>
    </>
  );
}

/** A text that takes effect when the field is left. */
function Field({ label, value, change }: { label: string; value: string; change: (text: string) => void }) {
  const [typed, setTyped] = useState<string>();
  const done = () => {
    if (typed !== undefined && typed.trim() !== value) change(typed.trim());
    setTyped(undefined);
  };
  return (
    <TextInput
      label={label}
      size="xs"
      maxLength={255}
      autoComplete="off"
      value={typed ?? value}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={done}
      onKeyDown={(event) => {
        if (event.key === "Enter") done();
      }}
    />
  );
}
