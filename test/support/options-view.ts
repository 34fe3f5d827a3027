/** Options for tests: the defaults, or the values given. */
import { type OptionKey, type OptionsView, type OptionValues, optionTable } from '../../daemon/contract/options.ts';

export function optionsView(values: OptionValues = {}): OptionsView {
  return {
    get<K extends OptionKey>(key: K) {
      return values[key] ?? optionTable[key].default;
    },
  };
}
