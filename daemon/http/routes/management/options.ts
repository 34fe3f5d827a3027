/** Routes of runtime options (management-api.md 3.9). */
import { contract } from '../../../contract/index.ts';
import { formatOptionWarnings } from '../../../contract/option-warnings.ts';
import { isOptionKey, optionTable } from '../../../contract/options.ts';
import type { OptionService } from '../../../domain/options.ts';
import type { StepUp } from '../../../domain/step-up.ts';
import { implement, type Route } from '../../implement.ts';
import { presentOption } from '../../present/options.ts';

export const optionRoutes = (options: OptionService, stepUp: Pick<StepUp, 'require'>): Route[] => [
  implement(contract.options.list, async () => (await options.list()).map(presentOption)),
  implement(contract.options.set, async ({ actor, input, request, session }) => {
    // Ways to sign in, secrets and what payment goes by are root's; everything else changes without a question.
    const isSensitive = isOptionKey(input.key) && optionTable[input.key].class === 'root';
    if (isSensitive) await stepUp.require(actor, session.id, 'option');
    const warnings = await options.set(actor, input.key, input.value, input.expected);
    return { message: formatOptionWarnings(warnings, request.language) };
  }),
  implement(contract.options.resetModelRatio, async ({ actor }) => options.resetModelRatio(actor)),
];
