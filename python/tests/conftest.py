import numpy as np
import pytest
import scipy.sparse


@pytest.fixture(scope="session")
def rows():
    """Sparse rows, of values that a float holds, and labels -1 and 1."""
    random = np.random.default_rng(7)
    x = scipy.sparse.random(1200, 150, 0.08, format="csr", random_state=3)
    x.data = np.round(x.data * 64 - 32) / 8
    x.eliminate_zeros()
    weights = np.where(np.arange(150) < 6, random.normal(size=150), 0)
    y = np.where(x @ weights + 0.3 * random.normal(size=1200) > 0, 1, -1)
    return x, y
