import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentKind } from "../../../src/manifest/agent/agent-kind.ts";
import { rewriteManifest } from "../../../src/manifest/foreign/rewrite-manifest.ts";
import { ragPipelineKind } from "../../../src/manifest/rag-pipeline.ts";
import { elementSegment } from "../../../src/manifest/senders/key-policy.ts";
import {
  type CloudProvider,
  cloudProviders,
  type ReadSpec,
  translate,
} from "../../../src/services/translator/mapping/cloud-provider.ts";
import { readSpec } from "../../../src/services/translator/mapping/read-spec.ts";
import type { SectionTable } from "../../../src/services/translator/mapping/section-table.ts";
import { fencedBlocks } from "../../docs/fenced-blocks.ts";
import { sampleAgent } from "../../manifest/sample-agent.ts";
import { deskYaml, handbookYaml } from "../../support/translator.ts";
