// Colour only on a terminal: styleText leaves text plain when the stream is not one or NO_COLOR is set.

import { styleText } from 'node:util'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export const paint = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string => styleText(style, text, { stream })
