/** What the refusals of Azure's model services mean. Source: providers/azure.md and azure-foundry.md, read 2026-11. */
import type { FailureRule } from '../../failure.ts';

export const azureFailures: readonly FailureRule[] = [
  { status: 401, means: 'bad-key' },
  { code: ['DeploymentNotFound', 'unknown_model'], means: 'no-model', lacks: 'model' },
  { code: ['content_filter', 'ResponsibleAIPolicyViolation'], means: 'bad-request' },
  { status: 429, code: ['RateLimitReached', 'too_many_requests', '429'], means: 'rate-limit' },
];
