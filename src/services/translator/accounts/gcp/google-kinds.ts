import type { GoogleService } from "./google-api.ts";

/** A type of resource at Google Cloud, and how its API differs from the others. */
export interface GoogleKind {
  resource_type: string;
  service: GoogleService;
  /** Last part of the collection's path, and the key of its listing. */
  collection: string;
  /** Fields of the config that belong to the resource's body. */
  fields: readonly string[];
  /** Paths in the config that the cloud never returns: they belong to other calls, or the cloud only takes them in. */
  unreturned: readonly string[];
  /** Fields that can't be changed after creation. */
  fixed: readonly string[];
  /** Where the marks are: labels, or the last line of the description of a type without labels. */
  marks: "labels" | "description";
  /** True if changes take an `updateMask`. */
  hasMask: boolean;
  /** True if creations, changes and deletions are long-running operations. */
  isLong: boolean;
  /** Query parameter with the id of a new resource, for a type whose ids the caller chooses. */
  idParameter?: string;
  /** True if a deletion has to say that it deletes what is inside, too. */
  deletesInside: boolean;
}

export const googleKinds: readonly GoogleKind[] = [
  {
    resource_type: "modelarmor.template",
    service: "modelarmor",
    collection: "templates",
    fields: ["labels", "filter_config", "template_metadata"],
    unreturned: [],
    fixed: [],
    marks: "labels",
    hasMask: true,
    isLong: false,
    idParameter: "templateId",
    deletesInside: false,
  },
  {
    resource_type: "vertex.agent_engine",
    service: "aiplatform",
    collection: "reasoningEngines",
    fields: ["display_name", "description", "labels", "spec", "context_spec"],
    unreturned: ["spec.source_code_spec.agent_config_source.inline_source"],
    fixed: [],
    marks: "labels",
    hasMask: true,
    isLong: true,
    deletesInside: true,
  },
  {
    resource_type: "vertex.rag_corpus",
    service: "aiplatform",
    collection: "ragCorpora",
    fields: ["display_name", "description", "vector_db_config"],
    unreturned: ["rag_file_transformation_config", "rag_retrieval_config"],
    fixed: ["vector_db_config"],
    marks: "description",
    hasMask: false,
    isLong: true,
    deletesInside: true,
  },
];
