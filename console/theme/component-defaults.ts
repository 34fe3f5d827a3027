/**
 * What every part of the kit does unless told otherwise. By name and not by the parts themselves, which would all be
 * loaded with the first page.
 */
import type { MantineThemeComponents } from '@mantine/core';
import { boundedOptions } from './bounded-options.ts';
import { durations } from './tokens.ts';

const defaults = (defaultProps: object) => ({ defaultProps });

const floating = { transitionProps: { duration: durations.hover, transition: 'fade' }, shadow: 'md' };
// Scrolling is locked by a rule of the style sheet: the kit's way writes a style element, which the policy forbids.
const modal = { lockScroll: false, overlayProps: { backgroundOpacity: 0.4 } };
const slide = { duration: durations.drawer, timingFunction: 'ease-out' };

export const componentDefaults: MantineThemeComponents = {
  // Inside `main`: a drawer's header would count as a second banner, and menus would lie outside every landmark.
  Portal: defaults({ target: '#overlays', reuseTargetNode: false }),
  Drawer: defaults({ ...modal, position: 'right', size: 720, transitionProps: { ...slide, transition: 'slide-left' } }),
  Modal: defaults({ ...modal, centered: true, radius: 'md', transitionProps: { ...slide, transition: 'fade' } }),
  Menu: defaults({ ...floating, withInitialFocusPlaceholder: false, position: 'bottom-end', offset: 4 }),
  Popover: defaults({ ...floating, offset: 4 }),
  Combobox: defaults({ ...floating, offset: 4 }),

  Button: defaults({ size: 'sm' }),
  ActionIcon: defaults({ variant: 'subtle', color: 'gray', size: 'lg' }),
  CloseButton: defaults({ iconSize: 16 }),
  Text: defaults({ size: 'sm' }),
  Input: defaults({ size: 'sm' }),
  Select: defaults({
    filter: boundedOptions,
    allowDeselect: false,
    checkIconPosition: 'right',
    maxDropdownHeight: 320,
  }),
  MultiSelect: defaults({
    filter: boundedOptions,
    checkIconPosition: 'right',
    maxDropdownHeight: 320,
    hidePickedOptions: false,
  }),
  Autocomplete: defaults({ filter: boundedOptions }),
  NumberInput: defaults({ hideControls: true }),
  Textarea: defaults({ autosize: true, minRows: 2, maxRows: 12 }),
  Radio: defaults({ size: 'md' }),
  Checkbox: defaults({ size: 'sm' }),
  Switch: defaults({ size: 'sm', withThumbIndicator: false }),

  Paper: defaults({ withBorder: true, radius: 'md' }),
  Alert: defaults({ variant: 'light', radius: 'md' }),
  Tabs: defaults({ keepMounted: false }),
  Loader: defaults({ size: 'sm' }),
  Collapse: defaults({ transitionDuration: durations.drawer }),

  Calendar: defaults({ hideOutsideDates: true, firstDayOfWeek: 1, weekendDays: [] }),
  DatePicker: defaults({ hideOutsideDates: true, firstDayOfWeek: 1, weekendDays: [] }),
  DateTimePicker: defaults({ hideOutsideDates: true, firstDayOfWeek: 1, weekendDays: [] }),

  Notification: defaults({ withBorder: true, radius: 'md' }),
  Notifications: defaults({ position: 'top-center', limit: 3, autoClose: 3000, transitionDuration: durations.drawer }),
  SpotlightRoot: defaults({ lockScroll: false }),
};
