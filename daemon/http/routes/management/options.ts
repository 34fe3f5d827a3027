/** Routes of runtime options (management-api.md 3.9). */
import { contract } from '../../../contract/index.ts';
import { formatOptionWarnings } from '../../../contract/option-warnings.ts';
import type { OptionService } from '../../../domain/options.ts';
import { implement, type Route } from '../../implement.ts';
import { presentOption } from '../../present/options.ts';

export const optionRoutes = (options: OptionService): Route[] => [
  implement(contract.options.list, async () => (await options.list()).map(presentOption)),
  implement(contract.options.set, async ({ actor, input, request }) => {
    const warnings = await options.set(actor, input.key, input.value);
    return { message: formatOptionWarnings(warnings, request.language) };
  }),
  implement(contract.options.resetModelRatio, async ({ actor }) => options.resetModelRatio(actor)),
];
