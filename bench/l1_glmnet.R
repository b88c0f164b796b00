# The l1 optimum by glmnet, at the loosest of its thresholds that comes within 1e-6.
#
# Usage: Rscript l1_glmnet.R FILE LAMBDA OPTIMUM [LAMBDA OPTIMUM ...]
# Objective and figures as in l1_rivals.py. glmnet wants a path of lambdas: ten a decade, from the
# largest down to LAMBDA; the time is that of the whole path.
if (!requireNamespace("glmnet", quietly = TRUE)) {
  cat("   glmnet    is not installed\n")
  quit()
}
suppressMessages({ library(Matrix); library(glmnet) })

read_rows <- function(file) {
  rows <- strsplit(trimws(readLines(file)), "[ :]+")
  pairs <- lapply(rows, function(r) as.numeric(r[-1]))
  sizes <- lengths(pairs) / 2
  all <- unlist(pairs)
  odd <- seq(1, length(all), 2)
  list(x = sparseMatrix(i = rep(seq_along(sizes), sizes), j = all[odd], x = all[odd + 1]),
       y = ifelse(sapply(rows, function(r) as.numeric(r[1])) > 0, 1, -1))
}

objective <- function(x, y, w, lambda) {
  m <- y * as.vector(x %*% w)
  mean(log1p(exp(-abs(m))) + pmax(-m, 0)) + lambda * sum(abs(w))
}

data <- read_rows(commandArgs(TRUE)[1])
x <- data$x
y <- data$y
numbers <- as.numeric(commandArgs(TRUE)[-1])
largest <- max(abs(as.vector(crossprod(x, y)))) / (2 * length(y))

solve_at <- function(lambda, threshold) {
  steps <- max(2, ceiling(10 * log10(largest / lambda)) + 1)
  path <- exp(seq(log(largest), log(lambda), length.out = steps))
  seconds <- system.time(model <- glmnet(x, y, family = "binomial", lambda = path,
    standardize = FALSE, intercept = FALSE, thresh = threshold, maxit = 1e7))["elapsed"]
  w <- as.vector(model$beta[, ncol(model$beta)])
  list(seconds = seconds, w = w, reached = ncol(model$beta) == steps)
}

for (k in seq(1, length(numbers), 2)) {
  lambda <- numbers[k]
  cat(sprintf("lambda %.6g\n", lambda))
  for (threshold in 10^-(5:14)) {
    found <- solve_at(lambda, threshold)
    above <- objective(x, y, found$w, lambda) / numbers[k + 1] - 1
    if (found$reached && above <= 1e-6 || found$seconds > 20) break
  }
  if (above > 1e-6) {
    cat(sprintf("   glmnet    not within 1e-6: %.1e above after %.1f s\n", above, found$seconds))
    next
  }
  runs <- sort(sapply(seq_len(if (found$seconds < 10) 5 else 1),
                      function(i) solve_at(lambda, threshold)$seconds))
  cat(sprintf("   glmnet    %8.4f s (%.4f-%.4f), threshold %g, %.1e above, %d non-zeros\n",
              median(runs), runs[1], runs[length(runs)], threshold, above, sum(found$w != 0)))
}
