/** Routes of groups (management-api.md 3.16). */
import { contract } from '../../../contract/index.ts';
import { implement, type Route } from '../../implement.ts';

/** @param groupNames names of all groups, `default` first */
export const groupRoutes = (groupNames: () => string[]): Route[] => [
  implement(contract.groups.list, () => groupNames()),
];
