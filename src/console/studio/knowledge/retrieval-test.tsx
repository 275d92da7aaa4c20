import { Button, NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useDaemon } from "../../api/use-server.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useUrlFields } from "../../parts/use-url-fields.ts";
import { retrievalTexts as texts } from "../../texts/studio-knowledge.ts";
import { knowledgeKeys } from "./knowledge-paths.ts";
import { PassageView } from "./passage-view.tsx";
import { readFilters, retrievalFields, retrievalRequest } from "./retrieval-request.ts";

/** Asks a collection what an agent would ask it, and shows what is found with its scores. */
export function RetrievalTest({ collection, pipeline }: { collection: string; pipeline: string }) {
  const daemon = useDaemon();
  const [fields, setFields] = useUrlFields(retrievalFields);
  const [written, write] = useState(fields);
  const request = retrievalRequest(fields, { collection, pipeline });
  const query = useQuery({
    queryKey: [...knowledgeKeys.collection(collection), "query", request],
    queryFn: ({ signal }) => daemon.ragQuery(request ?? { query: "" }, signal),
    enabled: request !== undefined,
    placeholderData: keepPreviousData,
  });
  const hasFilters = readFilters(written.filters) !== undefined;
  return (
    <>
      <Panel title={texts.question}>
        <form
          className="ar-knowledge-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (hasFilters) setFields(written);
          }}
        >
          <TextInput
            aria-label={texts.question}
            maxLength={8192}
            value={written.q}
            onChange={(event) => write({ ...written, q: event.currentTarget.value })}
          />
          <div className="ar-knowledge-fields">
            <Select
              label={texts.mode}
              allowDeselect={false}
              data={[
                { value: "", label: texts.asSaid },
                ...Object.entries(texts.modes).map(([value, label]) => ({ value, label })),
              ]}
              value={written.mode}
              onChange={(mode) => write({ ...written, mode: mode ?? "" })}
            />
            <NumberInput
              label={texts.topK}
              placeholder={texts.asSaid}
              min={1}
              max={1000}
              allowDecimal={false}
              value={written.k}
              onChange={(k) => write({ ...written, k: String(k) })}
            />
            <NumberInput
              label={texts.threshold}
              placeholder={texts.asSaid}
              min={0}
              max={1}
              step={0.05}
              decimalScale={4}
              value={written.min}
              onChange={(min) => write({ ...written, min: String(min) })}
            />
            <Select
              label={texts.rerank}
              allowDeselect={false}
              data={[
                { value: "", label: texts.asSaid },
                { value: "on", label: texts.rerankOn },
                { value: "off", label: texts.rerankOff },
              ]}
              value={written.rerank}
              onChange={(rerank) => write({ ...written, rerank: rerank ?? "" })}
            />
          </div>
          <Textarea
            label={texts.filters}
            description={texts.filtersHint}
            autosize
            minRows={1}
            maxRows={6}
            spellCheck={false}
            classNames={{ input: "ar-mono" }}
            error={hasFilters ? undefined : texts.badFilters}
            value={written.filters}
            onChange={(event) => write({ ...written, filters: event.currentTarget.value })}
          />
          <Button
            type="submit"
            className="ar-views"
            loading={query.isFetching}
            disabled={written.q.trim() === "" || !hasFilters}
          >
            {texts.find}
          </Button>
        </form>
      </Panel>
      {request === undefined ? (
        <EmptyState text={texts.none} />
      ) : (
        <Loaded query={query}>
          {({ results }) =>
            results.length === 0 ? (
              <EmptyState text={texts.nothing} />
            ) : (
              <Panel title={texts.results(results.length)}>
                <ol className="ar-passages">
                  {results.map((passage) => (
                    <PassageView
                      key={`${passage.citation.document_id} ${passage.citation.start}`}
                      collection={collection}
                      passage={passage}
                    />
                  ))}
                </ol>
              </Panel>
            )
          }
        </Loaded>
      )}
    </>
  );
}
