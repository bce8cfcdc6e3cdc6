;;; emacs.el --- `rpl lsp' in Emacs, with Eglot  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0
;;
;; clients.sh runs it in a copy of the workspace, with the configuration of docs/editors.md. The last
;; line is `N passed, N failed'.

(require 'cl-lib)
(require 'eglot)
(require 'imenu)

(defvar passed 0)
(defvar failed 0)

(defun check (name holds &optional shown)
  (if holds (cl-incf passed)
    (cl-incf failed)
    (princ (format "failed: %s\n  %S\n" name shown))))

(defun same (name wanted got)
  (check name (equal wanted got) (list 'expected wanted 'got got)))

(defun wait (holds)
  "Whether HOLDS returns non-nil within the patience of a test."
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall holds)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (funcall holds)))

(defun send-changes ()
  "Sends what a command changed, as Emacs does when it is idle."
  (eglot--signal-textDocument/didChange))

(defun go-to (piece &optional skip)
  (goto-char (point-min))
  (search-forward piece)
  (goto-char (+ (match-beginning 0) (or skip 0))))

(defun codes ()
  (sort (mapcar (lambda (d) (car (split-string (flymake-diagnostic-text d) " ")))
                (flymake-diagnostics))
        #'string<))

(defun here ()
  (list (file-name-nondirectory (buffer-file-name)) (thing-at-point 'symbol t)))

(defun findings ()
  (flymake-start)
  (check "findings" (wait (lambda () (= (length (flymake-diagnostics)) 3)))
         (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
  (save-excursion
    (go-to "plenty")
    (insert "bad(\"🍐\") <- short(1, 2)\n"))
  (send-changes)
  (check "a finding after an edit" (wait (lambda () (> (length (flymake-diagnostics)) 3))))
  (let ((arity (cl-find-if (lambda (d) (string-match-p "short" (flymake-diagnostic-text d)))
                           (flymake-diagnostics))))
    (check "its place, behind a character of two units"
           (and arity (equal "short(1, 2)" (buffer-substring (flymake-diagnostic-beg arity)
                                                             (flymake-diagnostic-end arity))))
           arity))
  (save-excursion
    (go-to "bad(")
    (delete-region (point) (line-beginning-position 2)))
  (send-changes)
  (check "and none without it" (wait (lambda () (= (length (flymake-diagnostics)) 3)))))

(defun hover ()
  (cl-flet ((shown (piece skip)
              (go-to piece skip)
              (let (text)
                (eglot-hover-eldoc-function (lambda (string &rest _) (setq text (or string ""))))
                (wait (lambda () text))
                (substring-no-properties (or text "")))))
    (check "hover" (string-match-p "What is missing" (shown "short(?item) <-" 1))
           (shown "short(?item) <-" 1))
    (check "hover with a proof" (string-match-p "crate(\"pear\", 0)" (shown "short(\"pear\")" 1))
           (shown "short(\"pear\")" 1))))

(defun places ()
  (go-to "stock.md#shelf" 10)
  (call-interactively #'xref-find-definitions)
  (same "definition" '("stock.md" "shelf") (here))
  (xref-pop-marker-stack)
  (go-to "?sign, short" 8)
  (call-interactively #'xref-find-definitions)
  (same "definition behind characters of two units" '("orders.md" 3)
        (list (file-name-nondirectory (buffer-file-name)) (line-number-at-pos)))
  (same "references" 5 (length (xref-backend-references 'eglot (xref-backend-identifier-at-point 'eglot))))
  (let ((entries (imenu--make-index-alist t)))
    (check "symbols" (string-match-p "Refill" (format "%S" entries)) entries))
  (same "symbols of the workspace" 1 (length (xref-backend-apropos 'eglot "shelf"))))

(defun completion ()
  (go-to "plenty(?n) <- ?n > 10")
  (end-of-line)
  (insert ", \"🍐\" = ?fruit, sho")
  (let* ((at (eglot-completion-at-point))
         (words (all-completions "sho" (nth 2 at))))
    (check "completion" (cl-some (lambda (word) (string-prefix-p "short" word)) words) words))
  (completion-at-point)
  (check "which is inserted" (save-excursion (beginning-of-line) (looking-at ".*?fruit, short"))
         (thing-at-point 'line t))
  (delete-region (save-excursion (beginning-of-line) (search-forward "> 10") (point)) (line-end-position))
  (send-changes)
  (wait (lambda () (= (length (flymake-diagnostics)) 3))))

(defun changes ()
  (go-to "?sign, short" 8)
  (eglot-rename "missing")
  (same "rename" 5 (how-many "missing(" (point-min) (point-max)))
  (same "at each place" 0 (how-many "short(" (point-min) (point-max)))
  (send-changes)
  (eglot-rename "short")
  (send-changes)
  (go-to "stock.md#shelf" 10)
  (eglot-rename "rack")
  (check "rename in this file" (save-excursion (goto-char (point-min)) (search-forward "stock.md#rack(" nil t)))
  (check "rename in another file"
         (with-current-buffer (find-file-noselect "stock.md")
           (goto-char (point-min))
           (search-forward "rack(?item, ?count) <-" nil t)))
  (send-changes)
  (eglot-format-buffer)
  (check "format" (progn (goto-char (point-min)) (search-forward "short(\"pear\"), short(?item)" nil t))
         (buffer-string)))

(defun actions ()
  (go-to "plenty(?n) <- ?n > 10")
  (end-of-line)
  (insert ", done")
  (send-changes)
  (wait (lambda () (> (length (flymake-diagnostics)) 3)))
  (let* ((offered (eglot-code-actions (line-beginning-position) (line-end-position)))
         (fix (cl-find-if (lambda (action) (string-match-p "done()" (plist-get action :title))) offered)))
    (check "code actions" fix (mapcar (lambda (action) (plist-get action :title)) offered))
    (when fix (eglot--read-execute-code-action (list fix) (eglot--current-server-or-lose) "quickfix"))
    (check "an action that is taken" (save-excursion (goto-char (point-min)) (search-forward "done()" nil t))
           (buffer-string))))

(setq eglot-confirm-server-initiated-edits nil
      eglot-events-buffer-size 0
      make-backup-files nil
      create-lockfiles nil)
(find-file "orders.md")
(same "the mode" 'markdown-mode major-mode)
(call-interactively #'eglot)
(check "the server is there" (wait #'eglot-current-server))
(dolist (part '(findings hover places completion changes actions))
  (condition-case why
      (funcall part)
    (error (check (format "%s without an error" part) nil why))))
(let ((server (eglot-current-server)))
  (eglot-shutdown server)
  (check "the server ends" (wait (lambda () (not (jsonrpc-running-p server))))))
(princ (format "%d passed, %d failed\n" passed failed))
(kill-emacs (if (> failed 0) 1 0))
;;; emacs.el ends here
