"""What scipy says, one `name value` to a line. The inputs are those of the test `scipy`; a share comes as two arguments, hits and tries."""
import sys

import numpy
from scipy import stats

EFFECTS = [0.011, -0.004, 0.023, 0.008, 0.017, -0.001, 0.030, 0.012, 0.006, 0.019]
OTHERS = [0.031, 0.012, 0.054, 0.022]
ROUNDS = [[0.1, 0.4, 0.2], [1.3, 1.1, 1.9], [-0.7, 0.2, -0.1], [2.2, 2.9, 2.1], [0.5, 0.6, 1.0]]
LAYOUTS = [[0.010, 0.014, 0.009], [0.031, 0.026, 0.029], [-0.012, -0.004, -0.009], [0.002, 0.006, 0.001]]


def show(name, value):
    print(name, repr(float(value)))


interval = stats.ttest_1samp(EFFECTS, 0).confidence_interval(0.95)
show("t_low", interval.low)
show("t_high", interval.high)
for alpha in (0.5, 0.05, 0.0064, 0.00001, 0.0000001):
    for freedom in (1, 2, 7, 59, 499):
        show(f"t_{alpha:.7f}_{freedom}", stats.t.isf(alpha / 2, freedom))
welch = stats.ttest_ind(OTHERS, EFFECTS, equal_var=False)
show("welch_low", welch.confidence_interval(0.95).low)
show("welch_high", welch.confidence_interval(0.95).high)
show("layout_p", stats.f_oneway(*LAYOUTS).pvalue)
hits, tries = int(sys.argv[1]), int(sys.argv[2])
exact = stats.binomtest(hits, tries).proportion_ci(0.95, method="exact")
show("share_low", exact.low)
show("share_high", exact.high)

# A randomised block design by least squares: what the model with places explains beyond the one without.
values = numpy.array(ROUNDS)
rows, columns = values.shape
residual = values - values.mean(1, keepdims=True) - values.mean(0, keepdims=True) + values.mean()
explained = rows * ((values.mean(0) - values.mean()) ** 2).sum() / (columns - 1)
unexplained = (residual ** 2).sum() / ((rows - 1) * (columns - 1))
show("position_p", stats.f.sf(explained / unexplained, columns - 1, (rows - 1) * (columns - 1)))

# Looks at 2 and at 3 blocks by quadrature over the directions of three normal blocks (a sphere): latitude and longitude.
def missed(alpha, steps=3000):
    height = (numpy.arange(steps) + 0.5) / steps * 2 - 1
    angle = ((numpy.arange(steps) + 0.5) / steps * 2 * numpy.pi)[:, None]
    flat = numpy.sqrt(1 - height**2)
    x, y = flat * numpy.cos(angle), flat * numpy.sin(angle)
    two, three = stats.t.isf(alpha / 2, 1), stats.t.isf(alpha / 2, 2)
    # |t| > c is S²(n − 1) > c²(nQ − S²).
    first = (x + y) ** 2 > two**2 * (2 * flat**2 - (x + y) ** 2)
    total = (x + y + height) ** 2
    second = 2 * total > three**2 * (3 - total)
    return (first | second).mean()


for alpha in (0.02, 0.05, 0.2):
    show(f"missed_{alpha}", missed(alpha))
