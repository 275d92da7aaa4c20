import { Button, Fieldset } from "@mantine/core";
import { valueAt } from "../../../manifest/value-at.ts";
import { Icon } from "../../parts/icon.tsx";
import { AddSelect } from "../../parts/inputs/add-select.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { freeRoles } from "../manifest/model-roles.ts";
import { EntryList } from "./entry-list.tsx";
import { EntryProblems } from "./entry-problems.tsx";
import { useFormContent } from "./form-context.ts";
import { ModelFields } from "./model-fields.tsx";
import { SchemaField } from "./schema-field.tsx";

const rolesPath = ["spec", "model", "roles"];

/** Models of an agent's roles, each with its candidates in order. A role without candidates is removed. */
export function RolesSection() {
  const { value, change } = useFormContent();
  const declared = valueAt(value, rolesPath);
  const roles = typeof declared === "object" && declared !== null ? Object.keys(declared) : [];
  const starter = () => {
    const { provider = "ollama", model = "llama3.2" } = (valueAt(value, ["spec", "model", "primary"]) ??
      {}) as Record<string, unknown>;
    return { provider, model };
  };
  return (
    <>
      {roles.length === 0 && <span className="ar-soft">{texts.noRoles}</span>}
      {roles.map((role) => {
        const at = `spec.model.roles.${role}`;
        return (
          <Fieldset key={role} legend={role}>
            <div className="ar-edit-fields">
              <EntryProblems path={at} isWithoutParts />
              <SchemaField path={`${at}.strategy`} />
              <EntryList
                path={`${at}.candidates`}
                labelOf={texts.candidate(role)}
                addLabel={texts.addCandidate(role)}
                starter={starter}
              >
                {(path) => <ModelFields at={path} />}
              </EntryList>
              <div>
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<Icon name="trash" />}
                  onClick={() => change([...rolesPath, role], undefined)}
                >
                  {texts.remove(role)}
                </Button>
              </div>
            </div>
          </Fieldset>
        );
      })}
      <AddSelect
        label={texts.addRole}
        description={texts.addRoleHint}
        placeholder={texts.chooseRole}
        data={freeRoles(value)}
        add={(role) => change([...rolesPath, role], { candidates: [starter()] })}
      />
    </>
  );
}
