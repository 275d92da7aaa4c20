import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ModelCost } from "../../../../contracts/platform/billing/tariffs.ts";
import { tariffTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";

interface ModelSelectsProps {
  provider: string;
  model: string;
  /** With the model's price at the provider, if it is known. */
  choose: (chosen: { provider?: string; model: string; cost: ModelCost | null }) => void;
}

/** Selects a provider and one of its models. It offers the models of runs, agents and tariffs, and accepts others. */
export function ModelSelects({ provider, model, choose }: ModelSelectsProps) {
  const platform = usePlatform();
  const { data } = useQuery({ queryKey: ["platform", "admin", "models"], queryFn: platform.listModels });
  const [search, setSearch] = useState("");
  const known = (data?.models ?? []).filter((each) => each.provider === provider);
  const written = search.trim();
  const isNew = (name: string) => name !== "" && known.every((each) => each.model !== name);
  const options = [
    ...known.map((each) => ({
      value: each.model,
      label: each.has_tariff ? each.model : texts.withoutTariff(each.model),
    })),
    ...(isNew(model) ? [{ value: model, label: model }] : []),
    ...(isNew(written) &&
    written !== model &&
    !known.some((each) => texts.withoutTariff(each.model) === written)
      ? [{ value: written, label: texts.otherModel(written) }]
      : []),
  ];
  return (
    <>
      <Select
        label={texts.provider}
        required
        searchable
        data={data?.providers ?? []}
        value={provider === "" ? null : provider}
        nothingFoundMessage={texts.noProvider}
        onChange={(value) => {
          choose({ provider: value ?? "", model: "", cost: null });
          setSearch("");
        }}
      />
      <Select
        label={texts.model}
        description={texts.modelHint}
        inputWrapperOrder={["label", "input", "description", "error"]}
        required
        searchable
        disabled={provider === ""}
        data={options}
        value={model === "" ? null : model}
        searchValue={search}
        onSearchChange={setSearch}
        nothingFoundMessage={texts.writeModel}
        onChange={(value) =>
          choose({
            model: value ?? "",
            cost: known.find((each) => each.model === value)?.known_cost ?? null,
          })
        }
      />
    </>
  );
}
