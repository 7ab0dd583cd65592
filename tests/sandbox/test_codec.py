import json
import math
from collections import Counter, namedtuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.sandbox.codec import MAX_DEPTH, check_bounds, decode, encode

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text()
    | st.binary()
)
HASHABLE = st.recursive(SCALARS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner))
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner)
        | st.dictionaries(HASHABLE, inner)
        | st.dictionaries(st.sampled_from(["$", "v", "a"]), inner)
        | st.sets(HASHABLE)
    ),
    max_leaves=20,
)


def same(left: object, right: object) -> bool:
    """Equality that tells apart what `==` does not: 1 from True and from 1.0, 0.0 from -0.0."""
    return repr(left) == repr(right) if not isinstance(left, set | frozenset) else left == right


# The strategy spells itself out in full once, which is slow and harmless.
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@given(VALUES)
def test_a_value_comes_back_as_it_was(value: object) -> None:
    text = encode(value)
    decoded = decode(text)
    assert decoded == value
    assert type(decoded) is type(value)
    assert encode(decoded) == text


@pytest.mark.parametrize(
    "value",
    [
        True,
        1,
        1.0,
        -0.0,
        "\ud800",
        "\0",
        (),
        [()],
        {},
        {1: 2},
        {"$": "int", "v": "0x1"},
        [[], [1, True]],
    ],
)
def test_types_and_odd_values_are_kept_exactly(value: object) -> None:
    assert same(decode(encode(value)), value)


def test_plain_json_stays_plain() -> None:
    assert encode({"a": [1, 2.5, "x", None, True]}) == '{"a":[1,2.5,"x",null,true]}'


def test_infinities_and_nan_are_kept() -> None:
    low, high, none = decode(encode([-math.inf, math.inf, math.nan]))
    assert (low, high) == (-math.inf, math.inf)
    assert math.isnan(none)


def test_integers_are_exact_whatever_their_size() -> None:
    for value in (10**1000 - 1, 10**1000, -(10**1000), 7**20_000):
        assert decode(encode(value)) == value
        assert decode(encode([value])) == [value]


def test_subclasses_count_as_their_base() -> None:
    point = namedtuple("point", "x y")
    assert same(decode(encode(point(1, 2))), (1, 2))
    assert same(decode(encode(Counter("aab"))), {"a": 2, "b": 1})
    assert same(decode(encode(bytearray(b"x"))), b"x")


def test_equal_sets_have_equal_text() -> None:
    assert encode({8, 0}) == encode({0, 8})
    assert list({8, 0}) != list({0, 8}), "the order of insertion shows, so the test means something"


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint64", "float16", "float64", "complex128", "U3"]
)
def test_arrays_keep_dtype_shape_and_content(dtype: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    decoded = decode(encode(array))
    assert decoded.dtype == array.dtype
    assert decoded.shape == (2, 3)
    assert (decoded == array).all()
    decoded[0, 0] = array[1, 1]
    assert encode(np.asfortranarray(array)) == encode(array)


def test_numpy_scalars_stay_numpy_scalars() -> None:
    for scalar in (np.int64(3), np.float64(2.5), np.bool_(True), np.str_("x")):
        decoded = decode(encode({"k": scalar}))["k"]
        assert type(decoded) is type(scalar)
        assert decoded == scalar
    assert decode(encode(np.array(3))).shape == ()


@pytest.mark.parametrize(
    "value", [object(), len, range(3), iter([]), {1: object()}, np.array([{}])]
)
def test_what_has_no_text_is_a_type_error(value: object) -> None:
    with pytest.raises(TypeError, match="cannot encode"):
        encode(value)


def test_an_object_that_equals_everything_is_refused() -> None:
    class Always:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    with pytest.raises(TypeError, match="Always"):
        encode([Always()])


def test_nesting_is_bounded_the_same_on_both_sides() -> None:
    def nest(levels: int) -> object:
        value: object = (1,)
        for _ in range(levels):
            value = ({1: value},)
        return value

    deepest = nest(MAX_DEPTH // 2 - 1)
    assert decode(encode(deepest)) == deepest
    with pytest.raises(TypeError, match="nested deeper"):
        encode(nest(MAX_DEPTH))
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(TypeError, match="nested deeper"):
        encode(loop)


MALFORMED = [
    "",
    "{",
    "nope",
    "NaN",
    "[Infinity]",
    "1 2",
    '{"$":"nothing","v":1}',
    '{"$":["tuple"],"v":[]}',
    '{"$":{"a":1},"v":[]}',
    '{"$":"tuple"}',
    '{"$":"tuple","v":3}',
    '{"$":"tuple","v":"ab"}',
    '{"$":"int","v":"1"}',
    '{"$":"int","v":"0x_1"}',
    '{"$":"int","v":12}',
    '{"$":"float","v":"1e5"}',
    '{"$":"complex","v":[1.0]}',
    '{"$":"complex","v":["1","2"]}',
    '{"$":"bytes","v":"*"}',
    '{"$":"set","v":[[1]]}',
    '{"$":"dict","v":[[1]]}',
    '{"$":"dict","v":[[[1],2]]}',
    '{"$":"dict","v":[3]}',
    '{"$":"array","dtype":"O","shape":[1],"v":"AAAAAAAAAAA="}',
    '{"$":"array","dtype":"<f8","shape":[2],"v":"AAAAAAAAAAA="}',
    '{"$":"array","dtype":"<f8","shape":[-1],"v":"AAAAAAAAAAA="}',
    '{"$":"array","dtype":"<f8","shape":[9999999999999999999999],"v":""}',
    '{"$":"array","dtype":"<f8","shape":[true],"v":"AAAAAAAAAAA="}',
    '{"$":"array","dtype":"<f8","v":"AAAAAAAAAAA="}',
    '{"$":"scalar","dtype":["<f8"],"shape":[],"v":"AAAAAAAAAAA="}',
    "1" * 5000,
    "[" * 100_000,
    '{"a":' * 100_000,
    '"' + '\\"' * 200_000,
    "[" * 400 + '"' + '\\"' * 200_000 + "\\",
    "[" * 200 + "]" * 200 + "[" * 400,
]


@pytest.mark.timeout(60)  # a fraction of a second, or minutes
@pytest.mark.parametrize("text", MALFORMED, ids=lambda text: text[:40])
def test_malformed_text_is_a_value_error_and_quickly_so(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- the type is the promise, messages vary
        decode(text)


def test_brackets_within_strings_do_not_count_as_nesting() -> None:
    text = "[" * 10_000 + '\\"' + "{" * 10_000
    assert decode(encode([text])) == [text]


@example('["[\\', 302)
@given(st.text(alphabet='[]{}"\\ é', max_size=40), st.integers(295, 310))
def test_brackets_are_counted_as_reading_one_character_after_the_other_would(
    tail: str, deep: int
) -> None:
    text = "[" * deep + tail
    depth = deepest = 0
    within = escaped = False
    for character in text:
        if within:
            within = escaped or character != '"'
            escaped = not escaped and character == "\\"
        elif character == '"':
            within = True
        else:
            depth += (character in "[{") - (character in "]}")
            deepest = max(depth, deepest)
    if deepest > 303:
        with pytest.raises(ValueError, match="nests deeper"):
            check_bounds(text)
    else:
        check_bounds(text)


@pytest.mark.timeout(60)  # a fraction of a second, or minutes
def test_a_long_number_or_text_is_measured_at_once() -> None:
    for text in ("9" * 10**7, '"' + "[" * 10**7 + '"', '"' + "\\\\" * 5 * 10**6 + '"'):
        check_bounds(text)


@pytest.mark.timeout(60)  # a fraction of a second, or minutes
def test_keys_that_all_collide_are_refused_quickly() -> None:
    colliding = [i * (2**61 - 1) for i in range(1, 50_000)]
    assert len(set(map(hash, colliding[:100]))) == 1
    for text in (
        json.dumps({"$": "set", "v": colliding}),
        json.dumps({"$": "dict", "v": [[key, 0] for key in colliding]}),
    ):
        with pytest.raises(ValueError, match="collide"):
            decode(text)


@pytest.mark.timeout(60)  # a fraction of a second, or minutes
def test_a_large_flat_list_takes_no_walk_in_python() -> None:
    numbers = list(range(500_000))
    text = encode(numbers)
    assert decode(text) == numbers


def test_long_floats_are_refused_for_they_never_become_python_numbers() -> None:
    with pytest.raises(TypeError, match="dtype float128"):
        encode(np.longdouble(1))


def test_an_array_of_nothing_may_not_be_long() -> None:
    assert decode(encode(np.empty((10, 0)))).shape == (10, 0)
    for shape in ((10**9, 0), (0, 10**9), (10_000, 10_000, 0)):
        with pytest.raises(ValueError, match="too long"):
            decode(encode(np.empty(shape)))


@pytest.mark.timeout(60)  # at once, or hours: the product has a million digits
def test_an_array_has_no_more_dimensions_than_numpy_takes() -> None:
    sides = ",".join(["9" * 900] * 10_000)
    with pytest.raises(ValueError, match="10001 dimensions"):
        decode(f'{{"$":"array","dtype":"<f8","shape":[0,{sides}],"v":""}}')
