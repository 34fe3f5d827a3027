/** Routes of built-in model lists (management-api.md 3.16). */
import { contract } from '../../../contract/index.ts';
import type { ModelCatalog } from '../../../domain/models.ts';
import { implement, type Route } from '../../implement.ts';

export const modelRoutes = (catalog: ModelCatalog): Route[] => [
  implement(contract.models.byChannelType, () =>
    Object.fromEntries([...catalog.byChannelType()].map(([type, models]) => [String(type), [...models]])),
  ),
];
