"""Logarithms and powers as BMAD+'s engine (V8) gives them, to the last bit.

V8 brings its own formulas, which round differently from the C library's: one power in ten ends in another
digit. The scores of the memory are shared with BMAD+, so that they are reckoned here as they are there. For
powers these are the formulas of fdlibm's ``e_pow.c`` but for one: the last correction stands in the divisor
instead of behind the quotient.
"""

from __future__ import annotations

from math import frexp, inf, ldexp, log, nextafter, sqrt

# Frequencies up to 1,000 whose logarithm V8 gives one unit in the last place lower or higher than the C
# library: measured. Without them "three times" alone would differ from the original.
_ONE_LOWER = (3, 48, 74, 299, 334, 346, 362, 759, 850)
_ONE_HIGHER = (185, 196, 308, 343, 657, 661, 680, 820, 835, 859, 894, 936)

# The logarithm of 10 to base 2 in two parts, as the series of fdlibm gives it for this base: the first has 21
# significant bits, so that its product with another such number is exact.
_LOG_10, _LOG_10_REST = 3.321928024291992, 7.05953701603694e-08

# The natural logarithm of 2, whole, and in a short part and its (negative) rest.
_LN_2 = 6.93147180559945286227e-01
_LN_2_SHORT, _LN_2_REST = 6.93147182464599609375e-01, -1.90465429995776804525e-09
# Coefficients of fdlibm's approximation of e ** x for x between -ln(2) / 2 and ln(2) / 2.
_P1, _P2, _P3 = 1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05
_P4, _P5 = -1.65339022054652515390e-06, 4.13813679705723846039e-08
# From here on a whole power of two is split off: not from a half, for only the upper 32 bits are compared.
_SPLIT = 0.5 + 2.0**-21
_LEAST, _MOST = -1075.0, 1024.0
_SHORT_BITS = 21
_SHORT = float(1 << _SHORT_BITS)


def logarithm(frequency: int) -> float:
    """The natural logarithm of a whole number from 1."""
    value = log(frequency)
    if frequency in _ONE_LOWER:
        return nextafter(value, 0.0)
    if frequency in _ONE_HIGHER:
        return nextafter(value, inf)
    return value


def half_to_the(exponent: float) -> float:
    """0.5 to the power of ``exponent``, a number of at least 0."""
    if exponent > -_LEAST:
        return 0.0
    if exponent == 0.5:
        return sqrt(0.5)
    short = _short(exponent)
    return _two_to_the(-short, short - exponent)


def ten_to_the(exponent: float) -> float:
    """10 to the power of the finite ``exponent``."""
    if exponent == 0.5:
        return sqrt(10.0)
    short = _short(exponent)
    return _two_to_the(short * _LOG_10, (exponent - short) * _LOG_10 + exponent * _LOG_10_REST)


def _short(number: float) -> float:
    """``number`` cut off after 21 significant bits."""
    fraction, exponent = frexp(number)
    return ldexp(int(fraction * _SHORT), exponent - _SHORT_BITS)


def _two_to_the(exponent: float, rest: float) -> float:
    """2 to the power of ``exponent + rest``, ``rest`` being what is lost when the two are added up."""
    whole = rest + exponent
    if whole >= _MOST or whole < _LEAST:
        return inf if whole > 0 else 0.0
    power = 0
    if whole >= _SPLIT:
        power = int(whole + 0.5)
    elif whole <= -_SPLIT:
        power = int(whole - 0.5)
    exponent -= power
    short = _short(rest + exponent)
    head = short * _LN_2_SHORT
    tail = (rest - (short - exponent)) * _LN_2 + short * _LN_2_REST
    x = head + tail
    lost = tail - (x - head)
    square = x * x
    t = x - square * (_P1 + square * (_P2 + square * (_P3 + square * (_P4 + square * _P5))))
    return ldexp(1.0 - (x * t / ((t - 2.0) - (lost + x * lost)) - x), power)
