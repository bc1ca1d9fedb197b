// `npm run fit:training`: the coefficients of runtimes and silicon as the fit of `ironlaw validate training` finds them on all calibration rows,
// beside those that are shipped. It looks at no other row and changes no file. Fitting again is for when rows or terms of the model are added.

import { builtInCatalog } from '@ironlaw/catalog'
import { fittedCoefficients } from '@ironlaw/planner/validation'

for (const { name, fitted, shipped } of fittedCoefficients(builtInCatalog))
  console.log(`${name.padEnd(40)} ${fitted.toFixed(3)}${shipped === undefined ? '' : `, shipped ${shipped}`}`)
