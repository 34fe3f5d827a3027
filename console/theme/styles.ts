/** Style sheets that every page needs; a part of the kit brings its own where it is first used. */
import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/global.css';
// Parts that others are made of come before them, whichever page brings those: of two rules alike the later one counts.
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/CloseButton.css';
import 'virtual:theme.css';
import './global.css';
